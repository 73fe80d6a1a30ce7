// The router: which screen an address shows, the header around all screens, and the first of them, Start.

import * as service from "./api.js";
import { compare } from "./compare.js";
import { button, find, h, icon, logo, say } from "./dom.js";
import { actionOf, listOfKeys, offer, openKeys } from "./keys.js";
import { speak, t, turn, woven } from "./words.js";

// Compare needs neither of the screens that are loaded only when they are opened.
const SCREENS = {
  "": start,
  // The gallery shows pairs, too, where some of the questions are about more than two candidates.
  compare: async (given) => (given.study.kinds.every((kind) => kind === "pair") ? compare(given) : (await import("./gallery.js")).gallery(given)),
  history: async (given) => (await import("./history.js")).history(given),
  people: async (given) => (await import("./people.js")).people(given),
  result: async (given) => (await import("./result.js")).result(given),
};
const names = () => [["compare", t("Compare")], ["history", t("History")], ["result", t("Result")], ["people", t("People")]];
const [prefix, path] = location.pathname.split("/studies/");
const [part] = path.split("/");
const name = decodeURIComponent(part);
const root = `${prefix}/studies/${part}`;
const api = service.study(name);
let screen = null;
let visit = 0;
let unwatch = null;

// Nobody is shown what would be refused.
const mayOpen = (to, { role }) => (to === "people" ? role === "owner" : to !== "compare" || role !== "viewer");
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

// Start: the question, what will be shown, the keys --------

// What will be shown, in a sentence.
function shows(study) {
  if (study.kinds.every((kind) => kind !== "pair")) return t("Several at a time: choose the best, or put them in order.");
  const kinds = Object.values(study.files).map(({ media_type: type }) => type.split("/")[0]);
  if (kinds.includes("image")) return t("Two pictures at a time: press the one you like better.");
  if (kinds.includes("audio")) return t("Two sounds at a time: press the one you like better.");
  if (kinds.includes("video")) return t("Two films at a time: press the one you like better.");
  return study.renders ? t("Two candidates, beside each other, at a time: press the one you like better.") : t("Two settings at a time: press the one you like better.");
}

function start({ study, me, link }) {
  const variables = study.space.variables ?? [];
  const bare = study.hide_parameters;
  const begun = study.answers > 0;
  const looks = me.role === "viewer";
  const many = begun ? t("About {expected} {expected|answer|answers}; {count} {count|is|are} given.", { expected: study.expected, count: study.answers }) : t("About {expected} {expected|answer|answers}.", { expected: study.expected });
  const free = variables.map(({ name }) => name).filter((name) => !(name in (study.space.fixed ?? {})));
  const node = h(
    "div",
    { class: "start column" },
    h("p", { class: "asks", dir: "auto" }, study.question),
    h("p", { dir: "auto" }, looks ? many : `${shows(study)} ${many} ${t("There are no wrong answers, and you can undo each one.")}`),
    variables.length > 0 && !bare && h("p", { class: "quiet", dir: "auto" }, t("What varies: {names}.", { names: free.join(", ") })),
    h("p", { class: "row" }, looks ? link("result", t("See result"), { class: "main big" }) : link("compare", begun ? t("Go on comparing") : t("Start comparing"), { class: "main big" })),
    !looks && [h("h2", {}, t("Keys")), listOfKeys(8)],
  );
  return { node, title: study.title || study.name };
}

const counts = h("p", { class: "count", dir: "auto" });
const bar = h("progress");
const MOST_TICKS = 60; // more would be too thin to be seen

function progress({ answers, expected }) {
  const unit = h("span", {}, t("{expected|answer|answers}", { expected })); // a narrow screen leaves it out
  counts.replaceChildren(...woven("{answers} of about {expected} {unit}", { answers: h("b", {}, String(answers)), expected, unit }));
  bar.setAttribute("aria-label", t("Answers given"));
  bar.max = Math.max(expected, answers, 1);
  bar.value = answers;
  bar.classList.toggle("ticks", bar.max <= MOST_TICKS);
  bar.style.setProperty("--of", bar.max);
}

async function open() {
  const mine = ++visit;
  screen?.leave?.();
  screen = null;
  unwatch?.();
  unwatch = null;
  say("");
  try {
    const [study, me] = await Promise.all([api.look(), service.me(), speak()]);
    if (study.language) await speak(study.language);
    if (mine !== visit) return;
    const here = SCREENS[screenOf()] && mayOpen(screenOf(), me) ? screenOf() : "";
    offer(study);
    const given = { api, study, me, go, link, progress, reload: open };
    const made = await SCREENS[here](given);
    if (mine !== visit) return made.leave?.();
    screen = made;
    frame(here, made, study, me);
    if (me.role !== "judge" && here !== "compare") watch(mine, here, given);
  } catch (error) {
    await speak(); // the refusal may have come before the words
    if (mine === visit) failed(error);
  }
}

// Whoever sees all answers sees them arrive.
function watch(mine, here, given) {
  let seen = given.study.length;
  let busy = Promise.resolve();
  unwatch = service.live(api.download("live"), (now) => {
    progress(now);
    if (now.length === seen) return;
    seen = now.length;
    screen?.changed?.(now);
    if (here === "result") busy = busy.then(() => mine === visit && now.length === seen && result());
  });
  async function result() {
    const [made, { renewed }] = await Promise.all([api.look().then((study) => SCREENS.result({ ...given, study })), import("./result.js")]);
    if (mine === visit) await (screen.node.querySelector(".hero") ? renewed(screen.node, made) : open());
  }
}

function frame(here, made, study, me) {
  progress(study);
  turn(study.question);
  const known = names();
  const links = known.filter(([to]) => mayOpen(to, me)).map(([to, text]) => link(to, text, { "aria-current": to === here ? "page" : null }));
  const home = link("", study.title || study.name, { class: "home", dir: "auto", title: study.title || study.name, "aria-current": here === "" ? "page" : null });
  find("#top").replaceChildren(
    h("div", { class: "bar" }, h("nav", { "aria-label": t("Study") }, all(), home, h("div", { class: "tabs" }, links)), h("div", { class: "progress" }, counts, bar), here !== "compare" && button(icon("keys"), openKeys, { class: "plain", "aria-label": t("Keys"), title: t("Keys") })),
    made.title && h("h1", { dir: "auto" }, made.title),
  );
  document.title = `${here ? `${known.find(([to]) => to === here)[1]} · ` : ""}${study.title || study.name}`;
  document.body.dataset.screen = here || "start";
  find("#main").replaceChildren(made.node);
}

// In a notebook's frame there is no list of studies to go to.
const all = () => service.embedded() ? h("span", { class: "brand" }, logo()) : h("a", { class: "brand", href: `${prefix}/`, "aria-label": t("All studies"), title: t("All studies") }, logo());

function reason({ status, message }) {
  switch (status) {
    case 0: return t("The server does not answer. Your saved answers are safe.");
    case 401: return t("You are not signed in. Open the link that the server printed, or your invitation.");
    case 403: return t("You are signed in, but not for this study.");
    case 404: return t("There is no such study here.");
    default: return message;
  }
}

function failed(error) {
  if (!(error instanceof service.Refused)) throw error;
  const again = button(t("Try again"), open, { class: "main" });
  find("#top").replaceChildren(h("div", { class: "bar" }, all()), h("h1", {}, t("This cannot be shown")));
  find("#main").replaceChildren(h("div", { class: "column" }, h("p", {}, reason(error)), h("p", { class: "row" }, again, error.status !== 401 && h("a", { class: "button", href: `${prefix}/` }, t("All studies")))));
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
window.addEventListener("popstate", () => (location.hash === "#keys" ? openKeys() : open()));
await open();
if (location.hash === "#keys") openKeys();
