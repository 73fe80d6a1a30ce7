// Keyboard shortcuts, the dialog that lists them, and the switch that turns single keys off.

import { button, find, h, kept } from "./dom.js";
import { named, t } from "./words.js";

const KEYS = [
  ["a", ["ArrowLeft", "a", "1"], "← A 1"],
  ["b", ["ArrowRight", "b", "2"], "→ B 2"],
  ["choose", [], "1 – 6"],
  ["same", ["ArrowDown", "s", "0"], "↓ S 0"],
  ["undo", ["z", "Backspace"], "Z Ctrl+Z Backspace"],
  ["skipped", ["x"], "X"],
  ["both unacceptable", ["n"], "N"],
  ["much a", ["Shift+ArrowLeft"], "Shift+←"],
  ["much b", ["Shift+ArrowRight"], "Shift+→"],
  ["flicker", ["f"], "F"],
  ["view", ["v"], "V"],
  ["fit", ["Home"], "Home"],
  ["play", [" "], "Space"],
  ["other", ["q"], "Q"],
  ["unsure", ["u"], "U"],
  ["help", ["?"], "?"],
];

// What a key does, in words.
function does(action) {
  switch (action) {
    case "choose": return t("Choose one, and then the next");
    case "undo": return t("Undo");
    case "both unacceptable": return several() ? t("None is good enough") : named(action);
    case "flicker": return t("Flicker between A and B (hold)");
    case "view": return t("View mode");
    case "fit": return t("Fit");
    case "play": return t("Play or pause");
    case "other": return t("Hear the other");
    case "unsure": return t("Not sure of the answer");
    case "help": return t("This help");
    default: return named(action);
  }
}

// A key's own name; a keyboard says it in its language.
const cap = (name) => (name === "Space" ? t("Space") : name);

let study = {}; // which may offer "much better", to be unsure, and questions about several
export const offer = (given) => (study = given);
const several = () => study.kinds?.some((kind) => kind !== "pair");
function offered([action]) {
  if (action === "choose") return several();
  if (several()) return /^[ab]$|undo|skipped|unacceptable|help/.test(action) || (action === "same" && study.kinds.includes("pair"));
  return action.startsWith("much") ? study.strengths : action !== "unsure" || study.unsure;
}

// The keys, and what they do, as a list; the first ones only, if so many are enough.
export const listOfKeys = (most = KEYS.length) => h("dl", { class: "keys" }, KEYS.filter(offered).slice(0, most).map(([action, , caps]) => [h("dt", {}, caps.split(" ").map((each) => h("kbd", {}, cap(each)))), h("dd", {}, does(action))]));

const ACTION = new Map(KEYS.flatMap(([action, keys]) => keys.map((key) => [key, action])));
const TYPING = "input:not([type=checkbox], [type=button], [type=range]), textarea, select, [contenteditable]";
const PRESSED = "button, a, summary, input:not([type=range]), select";
const SLIDES = /^(Arrow|Home|Page|End)/; // keys that a focused slider uses itself

// The action of a key press; null if it has none.
export function actionOf(event) {
  if (event.repeat || event.isComposing || document.querySelector("dialog[open]")) return null;
  const target = event.target instanceof Element ? event.target : document.body;
  if (target.matches(TYPING) || (target.matches("[type=range]") && SLIDES.test(event.key))) return null;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && key === "z") return "undo";
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  if (key === " " && target.closest(PRESSED)) return null;
  const action = ACTION.get(event.shiftKey && key !== "?" ? `Shift+${key}` : key) ?? null;
  return action && singleKeys() && offered([action]) ? action : null;
}

export const singleKeys = () => kept.get("keys", true);

export function openKeys() {
  const dialog = find("#keys");
  const close = () => dialog.close();
  const toggle = h("input", {
    type: "checkbox",
    id: "single-keys",
    checked: singleKeys(),
    onchange: (event) => kept.set("keys", event.target.checked),
  });
  dialog.replaceChildren(
    h("h2", { id: "keys-title" }, t("Keys")),
    listOfKeys(),
    h("label", { class: "switch", for: "single-keys" }, toggle, ` ${t("Single keys answer")}`),
    h("p", { class: "quiet" }, t("Held keys, typing fields and the first quarter of a second of a pair are ignored.")),
    h("p", { class: "row" }, button(t("Close"), close, { class: "main" })),
  );
  if (location.hash !== "#keys") history.replaceState(null, "", "#keys");
  dialog.onclose = () => history.replaceState(null, "", location.pathname + location.search);
  dialog.onclick = (event) => {
    if (event.target === dialog) close();
  };
  if (!dialog.open) dialog.showModal();
}
