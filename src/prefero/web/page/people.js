// The screen People, for the owner: invite judges, see how far each is, take a link back, save or delete the study.

import { revoke, tokens } from "./api.js";
import { button, h, say } from "./dom.js";
import { icon } from "./icons.js";

const DAYS = { 1: "a day", 7: "a week", 30: "a month" };

export async function people({ api, study, me }) {
  if (me.role !== "owner") return { node: h("div", { class: "column" }, h("p", {}, "Only the owner of the study sees this.")), title: "People" };
  const judges = h("ul", { class: "card judges" });
  const links = h("ul", { class: "card judges" });

  // Shows how far everybody is; called again when anything happened in the study.
  async function look() {
    judges.replaceChildren(...progressed((await api.history().catch(() => ({ history: [] }))).history));
  }

  async function list() {
    const all = (await tokens()).tokens.filter(({ role, study: of, revoked }) => role === "judge" && of === study.name && !revoked);
    links.replaceChildren(...all.map((token) => line(token.label, token.expires ? `signed in, until ${day(token.expires)}` : "signed in", taken(token))));
    if (!all.length) links.replaceChildren(h("li", { class: "quiet" }, "Nobody has joined by an invitation yet."));
  }

  const taken = (token) => twice("Take back", "Take back for good", async () => {
    await revoke(token.id);
    say(`${token.label} can no longer answer. The answers given are kept.`);
    await list();
  });

  await Promise.all([look(), list()]);
  const node = h(
    "div",
    { class: "people column" },
    h("section", { class: "card step" }, h("h2", {}, "Invite somebody"), h("p", { class: "quiet" }, "A link works once, in one browser. Send it to one person."), invitation(api)),
    h("section", { class: "part" }, h("h2", {}, "How far they are"), judges),
    h("section", { class: "part" }, h("h2", {}, "Who can answer"), links),
    h("section", { class: "part" }, h("h2", {}, "Save or delete"), h("p", { class: "row" }, [["answers.csv", "Answers as a table"], ["candidates.csv", "Everything compared, as a table"], ["export.json", "The whole study"]].map(([path, text]) => h("a", { class: "button", href: api.download(path), download: true }, text)), twice("Delete the study", "Delete it with all answers, for good", async () => {
      await api.change({ deleted: true });
      location.assign(`${location.pathname.split("/studies/")[0]}/`);
    }))),
  );
  return { node, title: "People", changed: look };
}

const day = (time) => new Date(time).toLocaleDateString(undefined, { day: "numeric", month: "long", year: "numeric" });
const line = (name, text, ...more) => h("li", {}, h("b", { dir: "auto" }, name), h("span", { class: "quiet" }, text), more);

// The judges with the number of their answers and the last one's time, the busiest first.
function progressed(history) {
  const found = new Map();
  for (const { who, status, time, step } of history) {
    if (status !== "effective" || step < 0) continue;
    const { count = 0 } = found.get(who) ?? {};
    found.set(who, { count: count + 1, time });
  }
  if (!found.size) return [h("li", { class: "quiet" }, "No answers yet.")];
  const most = Math.max(...[...found.values()].map(({ count }) => count));
  return [...found].sort(([, x], [, y]) => y.count - x.count).map(([who, { count, time }]) => line(who || "You", `${count} ${count === 1 ? "answer" : "answers"}, the last ${new Date(time).toLocaleString()}`, h("progress", { max: most, value: count, "aria-label": `Answers of ${who || "you"}` })));
}

// A button that has to be pressed twice.
function twice(first, then, work) {
  const made = button(first, async () => {
    if (made.textContent === first) {
      made.textContent = then;
      made.classList.add("bad");
      return;
    }
    made.disabled = true;
    try {
      await work();
    } catch (error) {
      say(`Not done: ${error.message}.`);
      made.disabled = false;
    }
  });
  made.addEventListener("blur", () => {
    made.textContent = first;
    made.classList.remove("bad");
  });
  return made;
}

function invitation(api) {
  const name = h("input", { type: "text", id: "judge", maxlength: 200, autocomplete: "off", "aria-describedby": "judge-error" });
  const error = h("span", { class: "error", id: "judge-error" });
  const days = h("select", { id: "days" }, Object.entries(DAYS).map(([value, words]) => h("option", { value, selected: value === "7" }, words)));
  const made = h("ul", { class: "invited" });
  const submit = async (event) => {
    event.preventDefault();
    error.textContent = "";
    if (!name.value.trim()) {
      error.textContent = "Say who it is for: their answers carry the name.";
      name.focus();
      return;
    }
    try {
      const invited = await api.invite({ judge: name.value.trim(), hours: 24 * Number(days.value) });
      const url = `${location.origin}${location.pathname.split("/studies/")[0]}${invited.path}`;
      const field = h("input", { type: "text", readonly: true, value: url, "aria-label": `Link for ${invited.judge}`, onfocus: () => field.select() });
      made.prepend(h("li", {}, h("b", { dir: "auto" }, invited.judge), field, button([icon("copy"), "Copy"], () => copy(field, invited.judge), { "aria-label": `Copy the link for ${invited.judge}` }), h("span", { class: "quiet" }, `until ${day(invited.expires)}`)));
      name.value = "";
      say(`A link for ${invited.judge}. It is shown only now.`);
    } catch (refused) {
      error.textContent = `${refused.message}.`;
    }
  };
  return [h("form", { class: "invite", novalidate: true, onsubmit: submit }, h("div", { class: "field" }, h("label", { for: "judge" }, "Name"), name, error), h("div", { class: "field" }, h("label", { for: "days" }, "Works for"), days), h("button", { type: "submit", class: "main" }, "Make a link")), made];
}

async function copy(field, name) {
  try {
    await navigator.clipboard.writeText(field.value);
    say(`Copied the link for ${name}.`);
  } catch {
    field.select();
    say("The browser did not allow copying. The link is selected.");
  }
}
