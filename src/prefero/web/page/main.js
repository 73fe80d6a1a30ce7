// The router: which screen an address shows, and the header around all screens.

import * as service from "./api.js";
import { compare } from "./compare.js";
import { button, find, h, say } from "./dom.js";
import { actionOf, openKeys } from "./keys.js";
import { result } from "./result.js";
import { history as past, start } from "./screens.js";

const SCREENS = { "": start, compare, history: past, result };
const NAMES = [["compare", "Compare"], ["history", "History"], ["result", "Result"]];
const [prefix, path] = location.pathname.split("/studies/");
const [part] = path.split("/");
const name = decodeURIComponent(part);
const root = `${prefix}/studies/${part}`;
const api = service.study(name);
let screen = null;
let turn = 0;

const screenOf = () => location.pathname.slice(root.length + 1);
const address = (to) => (to ? `${root}/${to}` : root);

function link(to, text, props) {
  const follow = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    go(to);
  };
  return h("a", { href: address(to), onclick: follow, ...props }, text);
}

function go(to) {
  if (screenOf() !== to) history.pushState(null, "", address(to));
  return open();
}

const counts = h("p", { class: "count" });
const bar = h("progress", { "aria-label": "Answers given" });

function progress({ answers, expected }) {
  counts.textContent = `${answers} of about ${expected} answers`;
  bar.max = Math.max(expected, answers, 1);
  bar.value = answers;
}

async function open() {
  const mine = ++turn;
  screen?.leave?.();
  screen = null;
  say("");
  const here = SCREENS[screenOf()] ? screenOf() : "";
  try {
    const [study, me] = await Promise.all([api.look(), service.me()]);
    if (mine !== turn) return;
    const made = await SCREENS[here]({ api, study, me, go, link, progress, reload: open });
    if (mine !== turn) return made.leave?.();
    screen = made;
    frame(here, made, study);
  } catch (error) {
    if (mine === turn) failed(error);
  }
  return undefined;
}

function frame(here, made, study) {
  progress(study);
  const links = NAMES.map(([to, text]) => link(to, text, { "aria-current": to === here ? "page" : null }));
  const home = link("", study.name, { class: "home", dir: "auto", "aria-current": here === "" ? "page" : null });
  find("#top").replaceChildren(
    h("nav", { "aria-label": "Study" }, home, links, here !== "compare" && button("Keys", openKeys, { class: "plain" })),
    h("h1", { dir: "auto" }, made.title),
    h("div", { class: "progress" }, counts, bar),
  );
  document.title = `${here ? `${NAMES.find(([to]) => to === here)[1]} · ` : ""}${study.name}`;
  document.body.dataset.screen = here || "start";
  find("#main").replaceChildren(made.node);
}

const REASONS = {
  0: "The server does not answer. Your saved answers are safe.",
  401: "You are not signed in. Open the link that the server printed, or your invitation.",
  403: "You are signed in, but not for this study.",
  404: "There is no such study here.",
};

function failed(error) {
  if (!(error instanceof service.Refused)) throw error;
  const again = button("Try again", open, { class: "main" });
  find("#top").replaceChildren(h("h1", {}, "This cannot be shown"));
  find("#main").replaceChildren(h("div", { class: "column" }, h("p", {}, REASONS[error.status] ?? error.message), h("p", { class: "row" }, again, h("a", { class: "button", href: "/" }, "All studies"))));
  document.body.dataset.screen = "failed";
}

document.addEventListener("keydown", (event) => {
  const action = actionOf(event);
  if (action === null) return;
  if (action === "help") openKeys();
  else if (screen?.act) screen.act(action);
  else return;
  event.preventDefault();
});
document.addEventListener("keyup", (event) => event.key.toLowerCase() === "f" && screen?.release?.());
window.addEventListener("blur", () => screen?.release?.());
window.addEventListener("popstate", open);
await open();
if (location.hash === "#keys") openKeys();
