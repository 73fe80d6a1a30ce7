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

export function say(text) {
  const line = find("#status");
  if (line.textContent !== text) line.textContent = text;
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

// The page's few icons, drawn as strokes; each stands beside its word.
const PATHS = {
  undo: "M8 5 4 9l4 4M4 9h9a5 5 0 0 1 0 10h-3",
  unsure: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM9.5 9.5a2.5 2.5 0 1 1 3.4 2.3c-.6.3-.9.7-.9 1.7M12 16.5v.1",
  failed: "M12 4 3 19h18L12 4ZM12 10v4M12 16.7v.1",
  split: "M4 5h16v14H4zM12 3v18",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  full: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM15.5 15.5 20 20M8 10.5h5M10.5 8v5",
  values: "M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4",
  keys: "M3 7h18v10H3zM6.5 10.5h.1M10 10.5h.1M13.5 10.5h.1M17 10.5h.1M8 14h8",
  left: "M14 6 8 12l6 6",
  right: "m10 6 6 6-6 6",
  "much-left": "M12 6 6 12l6 6M18.5 6l-6 6 6 6",
  "much-right": "m12 6 6 6-6 6M5.5 6l6 6-6 6",
  why: "M4 5h16v11H10l-4 4v-4H4zM8 9h8M8 12.3h5",
  neither: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM5.7 5.7l12.6 12.6",
  same: "M6 9.5h12M6 14.5h12",
  play: "M8 5v14l11-7z",
  pause: "M8 5v14M16 5v14",
  sound: "M5 10v4h3l4 4V6L8 10zM16 9.5a4 4 0 0 1 0 5M18.5 7a8 8 0 0 1 0 10",
  star: "m12 3.5 2.6 5.4 5.9.8-4.3 4.1 1.1 5.9-5.3-2.9-5.3 2.9 1.1-5.9L3.5 9.7l5.9-.8z",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  save: "M12 4v11M8 8l4-4 4 4M5 13v6h14v-6",
  bin: "M5 7h14M10 7V4.5h4V7M7 7l1 12.5h8L17 7",
  more: "M6 12h.1M12 12h.1M18 12h.1",
};

export const icon = (name) => s("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: PATHS[name] }));

// A letter in its shape: A is round, B is square.
export const logo = () => s("svg", { class: "logo", viewBox: "0 0 30 20", "aria-hidden": "true" }, s("circle", { cx: 10, cy: 10, r: 9 }), s("rect", { x: 14, y: 1.5, width: 15, height: 17, rx: 4 }));
