// Makes elements. Text is always set as text: nothing from a study is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

function filled(node, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, to] of Object.entries(value)) node.style.setProperty(key, to);
    else if (name === "dataset") Object.assign(node.dataset, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export const h = (tag, props, ...children) => filled(document.createElement(tag), props, children);
export const s = (tag, props, ...children) => filled(document.createElementNS(SVG, tag), props, children);
export const find = (selector) => document.querySelector(selector);

// Says something aloud, and writes it below unless it stands on the screen already.
export function say(text) {
  const line = find("#status");
  if (line.textContent !== text) line.textContent = text;
  requestAnimationFrame(() => line.classList.toggle("heard", text && find("main").textContent.includes(text)));
}

export const button = (text, onclick, props) => h("button", { type: "button", onclick, ...props }, text);

// Settings of the person, kept in this browser if it allows that.
export const kept = {
  get(key, otherwise = null) {
    try {
      return JSON.parse(localStorage.getItem(`prefero ${key}`)) ?? otherwise;
    } catch {
      return otherwise;
    }
  },
  set(key, value) {
    try {
      localStorage.setItem(`prefero ${key}`, JSON.stringify(value));
    } catch {
      // a private window may deny storage: the setting then lasts as long as the page
    }
  },
};

const ICONS = new URL("icons.svg", import.meta.url);

export const icon = (name) => s("svg", { class: "icon", "aria-hidden": "true" }, s("use", { href: `${ICONS.pathname}#${name}` }));

// A letter in its shape: A is round, B is square.
export const logo = () => s("svg", { class: "logo", viewBox: "0 0 30 20", "aria-hidden": "true" }, s("circle", { cx: 10, cy: 10, r: 9 }), s("rect", { x: 14, y: 1.5, width: 15, height: 17, rx: 4 }));
