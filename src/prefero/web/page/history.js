// The screen History: the answers, newest first; change, remove, restore one, or look at its pair again.

import { button, find, h, say } from "./dom.js";
import { sidesOf } from "./gallery.js";
import { kindOf, media, showable } from "./media.js";
import { badge } from "./parameters.js";
import { moment, named, said, sideOf, t, writer } from "./words.js";

const PAGE = 20; // answers
let pages = 1; // that are shown; a change does not fold them again

export async function history({ api, reload, me, study }) {
  const entries = (await api.history()).history.toReversed();
  // Changes an answer, and says so beside it, with a way back; what was not saved is said there, too.
  const amend = async (step, what, body, done, [back, before] = []) => {
    try {
      await api.amend(step, what, body);
    } catch (error) {
      return remark(step, t("Not changed: {why}.", { why: error.message }));
    }
    await reload();
    find(`#answer-${step} select, #answer-${step} button`)?.focus();
    return remark(step, done, back && button(t("Undo the change"), () => amend(step, back, before, t("The change is undone."))));
  };
  const doubts = doubted(entries);
  const valued = writer(study.space);
  const rows = entries.map((entry) => line(entry, { api, amend: me.role === "viewer" ? null : amend, valued, bare: study.hide_parameters, doubt: doubts.get(entry.step) }));
  const exports = me.role === "judge" ? null : h("p", { class: "row" }, file(api, "answers.csv", t("Answers as a table")), file(api, "export.json", t("The whole study")));
  const list = h("ol", { class: "entries", reversed: true }, rows.splice(0, pages * PAGE));
  const more = button(t("Show older answers"), () => {
    pages += 1;
    list.append(...rows.splice(0, PAGE));
    more.hidden = !rows.length;
  });
  more.hidden = !rows.length;
  const body = entries.length ? [list, h("p", { class: "row" }, more)] : h("p", {}, t("There are no answers yet."));
  return { node: h("div", { class: "column" }, exports, body), title: t("History") };
}

function remark(step, text, ...more) {
  find("#main .said")?.remove();
  find(`#answer-${step} .what`)?.append(h("p", { class: "said row" }, h("span", { dir: "auto" }, text), ...more.filter(Boolean)));
  say(text);
}

const file = (api, path, text) => h("a", { class: "button", href: api.download(path), download: true }, text);

// Answers that may be worth a second look: the same pair answered differently, or a cycle of answers.
function doubted(entries) {
  const counting = entries.filter(({ status, answer }) => status === "effective" && sideOf(answer)).toReversed();
  const before = new Map();
  const found = new Map(counting.filter(({ contradicts }) => contradicts).map(({ step }) => [step, t("This answer does not fit others. That happens when several are close; look again only if you like.")]));
  for (const entry of counting) {
    const [a, b] = [JSON.stringify(entry.a), JSON.stringify(entry.b)];
    const pair = JSON.stringify([entry.who, ...[a, b].sort()]);
    const better = { a, same: "same", b }[sideOf(entry.answer)];
    if (before.has(pair) && before.get(pair) !== better) found.set(entry.step, entry.who ? t("Earlier {who} answered this pair differently. That happens when two are close. Both answers count; look again only if you like.", { who: entry.who }) : t("Earlier you answered this pair differently. That happens when two are close. Both answers count; look again only if you like."));
    before.set(pair, better);
  }
  return found;
}

function line(entry, { api, amend, valued, bare, doubt }) {
  const counts = entry.status === "effective";
  const answered = ["a", "same", "b"].includes(entry.answer);
  const options = ["a", "same", "b"].map((key) => h("option", { value: key, selected: key === entry.answer }, named(key)));
  const several = entry.kind !== "pair"; // such an answer is changed by another command: it has too many forms for a list
  const own = several && entry.answer === "both unacceptable" ? t("None is good enough") : (named(entry.answer) ?? said(entry.answer));
  if (!answered) options.unshift(h("option", { value: "", selected: true, disabled: true }, own));
  const lone = sides(entry).length < 2; // a hint or a rating, about no pair
  const imported = entry.step < 0 && !lone;
  const name = lone ? entry.answer : imported ? t("imported comparison {number}", { number: -entry.step }) : t("question {number}", { number: entry.step + 1 });
  const change = lone || !amend ? h("b", { dir: "auto" }, lone ? entry.answer : own) : h("select", { "aria-label": t("Answer to {name}", { name }), disabled: !counts || several || /failed/.test(entry.answer), onchange: (event) => amend(entry.step, "correct", { answer: event.target.value }, t("Changed {name}: {answer}.", { name, answer: said(event.target.value) }), answered && ["correct", { answer: entry.answer, sure: entry.sure }]) }, options);
  const toggle = counts
    ? button(t("Remove"), () => amend(entry.step, "remove", {}, t("Removed the answer to {name}.", { name }), ["restore", {}]), { "aria-label": t("Remove the answer to {name}", { name }) })
    : button(t("Restore"), () => amend(entry.step, "restore", {}, t("Restored the answer to {name}.", { name }), ["remove", {}]), { "aria-label": t("Restore the answer to {name}", { name }) });
  const remarks = [standing(entry.status), entry.corrected && t("changed"), entry.sure === false && t("not sure"), imported && (entry.source ? t("imported from {source}", { source: entry.source }) : t("imported")), entry.who && t("by {who}", { who: entry.who })].filter(Boolean).join(", ");
  return h(
    "li",
    { id: `answer-${entry.step}`, value: entry.step < 0 ? -entry.step : entry.step + 1, class: ["card", counts ? "" : "gone", imported && "imported"].filter(Boolean).join(" ") },
    h("div", { class: "thumbs" }, sides(entry).map((side) => thumb(side, entry, api, valued, bare))),
    h("div", { class: "what" }, h("div", { class: "row" }, change, amend && toggle, again(entry, api, name, valued, bare)), h("p", { class: "quiet" }, h("time", { datetime: entry.time }, moment(entry.time)), remarks && ` · ${remarks}`), entry.note && h("p", { class: "reason", dir: "auto" }, entry.note), doubt && h("p", { class: "look", dir: "auto" }, doubt)),
  );
}

function standing(status) {
  switch (status) {
    case "effective": return "";
    case "removed": return t("removed");
    case "undone": return t("undone");
    default: return status;
  }
}

const MOST_VALUES = 8;
const sides = (entry) => sidesOf(entry).filter((side) => Object.keys(entry[side]).length);

// The pair as it was shown, below its line.
function again(entry, api, name, valued, bare) {
  const names = showable(entry.files.a).filter((each) => entry.files.b[each]);
  if (!names.length || entry.kind !== "pair") return null;
  let view = null;
  const toggle = button(t("Look"), async () => {
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
  }, { "aria-label": t("Look at {name} again", { name }), "aria-expanded": "false" });
  return toggle;
}

function thumb(side, entry, api, valued, bare) {
  const files = Object.values(entry.files[side]);
  const picture = files.find((each) => kindOf(each) === "image");
  const differs = (name) => sides(entry).some((other) => entry[other][name] !== entry.a[name]);
  const names = bare ? [] : Object.keys(entry[side]).sort((x, y) => differs(y) - differs(x));
  const values = names.slice(0, MOST_VALUES).map((name) => h("span", { dir: "auto", class: differs(name) ? "differs" : "" }, `${name} ${valued(name, entry[side][name])}`));
  if (names.length > MOST_VALUES) values.push(h("span", {}, t("and {count} more", { count: names.length - MOST_VALUES })));
  return h("div", { class: `thumb of-${side}${entry.answer === side || entry.answer.startsWith(`${side}>`) ? " chosen" : ""}` }, badge(side), picture && h("img", { src: api.file(picture.digest), alt: "", loading: "lazy" }), h("p", {}, values));
}
