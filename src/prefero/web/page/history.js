// The screen History: the answers, newest first; change, remove, restore one, or look at its pair again.

import { button, find, h, say } from "./dom.js";
import { ordered, sidesOf } from "./gallery.js";
import { kindOf, media, showable } from "./media.js";
import { badge } from "./parameters.js";
import { ANSWERS, said, sideOf, writer } from "./words.js";


const PAGE = 20; // answers
let pages = 1; // that are shown; a change does not fold them again

export async function history({ api, reload, me, study }) {
  const entries = (await api.history()).history.toReversed();
  const amend = async (step, what, body, done) => {
    try {
      await api.amend(step, what, body);
    } catch (error) {
      say(`Not changed: ${error.message}.`);
      return;
    }
    await reload();
    say(done);
    find(`#answer-${step} select, #answer-${step} button`)?.focus();
  };
  const doubts = doubted(entries);
  const valued = writer(study.space);
  const rows = entries.map((entry) => line(entry, { api, amend, valued, bare: study.hide_parameters, doubt: doubts.get(entry.step) }));
  const exports = me.role === "judge" ? null : h("p", { class: "row" }, file(api, "answers.csv", "Answers as a table"), file(api, "export.json", "The whole study"));
  const list = h("ol", { class: "entries", reversed: true }, rows.splice(0, pages * PAGE));
  const more = button("Show older answers", () => {
    pages += 1;
    list.append(...rows.splice(0, PAGE));
    more.hidden = !rows.length;
  });
  more.hidden = !rows.length;
  const body = entries.length ? [list, h("p", { class: "row" }, more)] : h("p", {}, "There are no answers yet.");
  return { node: h("div", { class: "column" }, exports, body), title: "History" };
}

const file = (api, path, text) => h("a", { class: "button", href: api.download(path), download: true }, text);

// Answers that may be worth a second look: the same pair answered differently, or a cycle of answers.
function doubted(entries) {
  const counting = entries.filter(({ status, answer }) => status === "effective" && sideOf(answer)).toReversed();
  const before = new Map();
  const found = new Map(counting.filter(({ contradicts }) => contradicts).map(({ step }) => [step, "This answer does not fit others. That happens when several are close; look again only if you like."]));
  for (const entry of counting) {
    const [a, b] = [JSON.stringify(entry.a), JSON.stringify(entry.b)];
    const pair = JSON.stringify([entry.who, ...[a, b].sort()]);
    const better = { a, same: "same", b }[sideOf(entry.answer)];
    if (before.has(pair) && before.get(pair) !== better) found.set(entry.step, `Earlier ${entry.who || "you"} answered this pair differently. That happens when two are close. Both answers count; look again only if you like.`);
    before.set(pair, better);
  }
  return found;
}

function line(entry, { api, amend, valued, bare, doubt }) {
  const counts = entry.status === "effective";
  const answered = ["a", "same", "b"].includes(entry.answer);
  const options = ["a", "same", "b"].map((key) => h("option", { value: key, selected: key === entry.answer }, ANSWERS[key]));
  const several = entry.kind !== "pair"; // such an answer is changed by another command: it has too many forms for a list
  if (!answered) options.unshift(h("option", { value: "", selected: true, disabled: true }, ANSWERS[entry.answer] ?? (several ? ordered(entry.answer) : entry.answer)));
  const name = entry.step < 0 ? `imported comparison ${-entry.step}` : `question ${entry.step + 1}`;
  const change = h("select", { "aria-label": `Answer to ${name}`, disabled: !counts || several || /failed/.test(entry.answer), onchange: (event) => amend(entry.step, "correct", { answer: event.target.value }, `Changed ${name}: ${said(event.target.value)}.`) }, options);
  const toggle = counts
    ? button("Remove", () => amend(entry.step, "remove", {}, `Removed the answer to ${name}.`), { "aria-label": `Remove the answer to ${name}` })
    : button("Restore", () => amend(entry.step, "restore", {}, `Restored the answer to ${name}.`), { "aria-label": `Restore the answer to ${name}` });
  const remarks = [entry.status === "effective" ? "" : entry.status, entry.corrected ? "changed" : "", entry.step < 0 ? (entry.source ? `imported from ${entry.source}` : "imported") : "", entry.who ? `by ${entry.who}` : ""].filter(Boolean).join(", ");
  return h(
    "li",
    { id: `answer-${entry.step}`, value: entry.step < 0 ? -entry.step : entry.step + 1, class: ["card", counts ? "" : "gone", entry.step < 0 ? "imported" : ""].filter(Boolean).join(" ") },
    h("div", { class: "thumbs" }, sidesOf(entry).map((side) => thumb(side, entry, api, valued, bare))),
    h("div", { class: "what" }, h("div", { class: "row" }, change, toggle, again(entry, api, name, valued, bare)), h("p", { class: "quiet" }, h("time", { datetime: entry.time }, new Date(entry.time).toLocaleString()), remarks && ` · ${remarks}`), doubt && h("p", { class: "look", dir: "auto" }, doubt)),
  );
}

const MOST_VALUES = 8;

// The pair as it was shown, below its line.
function again(entry, api, name, valued, bare) {
  const names = showable(entry.files.a).filter((each) => entry.files.b[each]);
  if (!names.length || entry.kind !== "pair") return null;
  let view = null;
  const toggle = button("Look", async () => {
    if (view) {
      view.leave?.();
      view.node.remove();
      view = null;
    } else {
      const question = { ...entry, measured: { a: { files: entry.files.a }, b: { files: entry.files.b } } };
      view = await media(question, names[0], api.file, valued, bare).catch((error) => ({ node: h("p", { class: "centre" }, `${error.message}.`) }));
      view.node = h("div", { class: "again" }, view.node);
      toggle.closest("li").append(view.node);
    }
    toggle.setAttribute("aria-expanded", String(view !== null));
  }, { "aria-label": `Look at ${name} again`, "aria-expanded": "false" });
  return toggle;
}

function thumb(side, entry, api, valued, bare) {
  const files = Object.values(entry.files[side]);
  const picture = files.find((each) => kindOf(each) === "image");
  const differs = (name) => sidesOf(entry).some((other) => entry[other][name] !== entry.a[name]);
  const names = bare ? [] : Object.keys(entry[side]).sort((x, y) => differs(y) - differs(x));
  const values = names.slice(0, MOST_VALUES).map((name) => h("span", { dir: "auto", class: differs(name) ? "differs" : "" }, `${name} ${valued(name, entry[side][name])}`));
  if (names.length > MOST_VALUES) values.push(h("span", {}, `and ${names.length - MOST_VALUES} more`));
  return h("div", { class: `thumb of-${side}${entry.answer === side || entry.answer.startsWith(`${side}>`) ? " chosen" : ""}` }, badge(side), picture && h("img", { src: api.file(picture.digest), alt: "", loading: "lazy" }), h("p", {}, values));
}
