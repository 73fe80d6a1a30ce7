// Keyboard shortcuts, the dialog that lists them, and the switch that turns single keys off.

import { button, find, h, kept } from "./dom.js";

const KEYS = [
  ["a", "A is better", ["ArrowLeft", "a", "1"], "← A 1"],
  ["b", "B is better", ["ArrowRight", "b", "2"], "→ B 2"],
  ["same", "About the same", ["ArrowDown", "s", "0"], "↓ S 0"],
  ["undo", "Undo", ["z", "Backspace"], "Z Ctrl+Z Backspace"],
  ["skipped", "Can’t judge", ["x"], "X"],
  ["both unacceptable", "Neither is acceptable", ["n"], "N"],
  ["much a", "A is much better", ["Shift+ArrowLeft"], "Shift+←"],
  ["much b", "B is much better", ["Shift+ArrowRight"], "Shift+→"],
  ["flicker", "Flicker between A and B (hold)", ["f"], "F"],
  ["view", "View mode", ["v"], "V"],
  ["fit", "Fit", ["Home"], "Home"],
  ["play", "Play or pause", [" "], "Space"],
  ["other", "Hear the other", ["q"], "Q"],
  ["help", "This help", ["?"], "?"],
];

let strengths = false; // whether the study offers "much better"
export const offer = (on) => (strengths = on);
const offered = ([action]) => strengths || !action.startsWith("much");

// The keys, and what they do, as a list; the first ones only, if so many are enough.
export const listOfKeys = (most = KEYS.length) => h("dl", { class: "keys" }, KEYS.slice(0, most).filter(offered).map(([, words, , caps]) => [h("dt", {}, caps.split(" ").map((cap) => h("kbd", {}, cap))), h("dd", {}, words)]));

const ACTION = new Map(KEYS.flatMap(([action, , keys]) => keys.map((key) => [key, action])));
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
    h("h2", { id: "keys-title" }, "Keys"),
    listOfKeys(),
    h("label", { class: "switch", for: "single-keys" }, toggle, " Single keys answer"),
    h("p", { class: "quiet" }, "Held keys, typing fields and the first quarter of a second of a pair are ignored."),
    h("p", { class: "row" }, button("Close", close, { class: "main" })),
  );
  if (location.hash !== "#keys") history.replaceState(null, "", "#keys");
  dialog.onclose = () => history.replaceState(null, "", location.pathname + location.search);
  dialog.onclick = (event) => {
    if (event.target === dialog) close();
  };
  if (!dialog.open) dialog.showModal();
}
