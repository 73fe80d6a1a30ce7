// The router: which screen an address shows, and the header around all screens.

import * as service from "./api.js";
import { compare } from "./compare.js";
import { button, find, h, say } from "./dom.js";
import { icon, logo } from "./icons.js";
import { actionOf, offer, openKeys } from "./keys.js";
import { start } from "./start.js";

// Compare needs neither of the screens that are loaded only when they are opened.
const SCREENS = {
  "": start,
  // The gallery shows pairs, too, where some of the questions are about more than two candidates.
  compare: async (given) => (given.study.kinds.every((kind) => kind === "pair") ? compare(given) : (await import("./gallery.js")).gallery(given)),
  history: async (given) => (await import("./history.js")).history(given),
  people: async (given) => (await import("./people.js")).people(given),
  result: async (given) => (await import("./result.js")).result(given),
};
const NAMES = [["compare", "Compare"], ["history", "History"], ["result", "Result"], ["people", "People"]];
const [prefix, path] = location.pathname.split("/studies/");
const [part] = path.split("/");
const name = decodeURIComponent(part);
const root = `${prefix}/studies/${part}`;
const api = service.study(name);
let screen = null;
let turn = 0;
let unwatch = null;

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
const MOST_TICKS = 60; // more would be too thin to be seen

function progress({ answers, expected }) {
  counts.replaceChildren(h("b", {}, String(answers)), ` of about ${expected}`, h("span", {}, " answers"));
  bar.max = Math.max(expected, answers, 1);
  bar.value = answers;
  bar.classList.toggle("ticks", bar.max <= MOST_TICKS);
  bar.style.setProperty("--of", bar.max);
}

async function open() {
  const mine = ++turn;
  screen?.leave?.();
  screen = null;
  unwatch?.();
  unwatch = null;
  say("");
  const here = SCREENS[screenOf()] ? screenOf() : "";
  try {
    const [study, me] = await Promise.all([api.look(), service.me()]);
    if (mine !== turn) return;
    offer(study.strengths);
    const given = { api, study, me, go, link, progress, reload: open };
    const made = await SCREENS[here](given);
    if (mine !== turn) return made.leave?.();
    screen = made;
    frame(here, made, study, me);
    if (me.role !== "judge" && here !== "compare") watch(mine, here, given);
  } catch (error) {
    if (mine === turn) failed(error);
  }
  return undefined;
}

// Whoever sees all answers sees them arrive.
async function watch(mine, here, given) {
  const { live, renewed } = await import("./live.js");
  if (mine !== turn) return;
  let seen = given.study.length;
  let busy = Promise.resolve();
  unwatch = live(api.download("live"), (now) => {
    progress(now);
    if (now.length === seen) return;
    seen = now.length;
    screen?.changed?.(now);
    if (here === "result") busy = busy.then(() => mine === turn && now.length === seen && result());
  });
  async function result() {
    const made = await SCREENS.result({ ...given, study: await api.look() });
    if (mine === turn) await (screen.node.querySelector(".hero") ? renewed(screen.node, made) : open());
  }
}

function frame(here, made, study, me) {
  progress(study);
  const links = NAMES.filter(([to]) => to !== "people" || me.role === "owner").map(([to, text]) => link(to, text, { "aria-current": to === here ? "page" : null }));
  const home = link("", study.name, { class: "home", dir: "auto", title: study.name, "aria-current": here === "" ? "page" : null });
  find("#top").replaceChildren(
    h("div", { class: "bar" }, h("nav", { "aria-label": "Study" }, all(), home, h("div", { class: "tabs" }, links)), h("div", { class: "progress" }, counts, bar), here !== "compare" && button(icon("keys"), openKeys, { class: "plain", "aria-label": "Keys", title: "Keys" })),
    made.title && h("h1", { dir: "auto" }, made.title),
  );
  document.title = `${here ? `${NAMES.find(([to]) => to === here)[1]} · ` : ""}${study.name}`;
  document.body.dataset.screen = here || "start";
  find("#main").replaceChildren(made.node);
}

// In a notebook's frame there is no list of studies to go to.
const all = () => service.embedded() ? h("span", { class: "brand" }, logo()) : h("a", { class: "brand", href: `${prefix}/`, "aria-label": "All studies", title: "All studies" }, logo());

const REASONS = {
  0: "The server does not answer. Your saved answers are safe.",
  401: "You are not signed in. Open the link that the server printed, or your invitation.",
  403: "You are signed in, but not for this study.",
  404: "There is no such study here.",
};

function failed(error) {
  if (!(error instanceof service.Refused)) throw error;
  const again = button("Try again", open, { class: "main" });
  find("#top").replaceChildren(h("div", { class: "bar" }, all()), h("h1", {}, "This cannot be shown"));
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
