// The page's words in the reader's language. The English words stand where they are used, and are the key of the catalogues de.json,
// it.json, … A test keeps modules and catalogues in step. The server uses them, too, for the texts of new.html and people.html, and
// as t(…) for the pages that it writes: see languages.py. How to write a text that can be translated:
//
//   t("Undo")                                          the text; its first argument is always one literal in double quotes
//   t("Answer {count} saved: {answer}.", { count, answer })   with values; numbers are written as the language writes them
//   t("{count} {count|answer|answers}", { count })     the forms for one, [few, many, two, zero] and all others; a translation
//                                                      has as many as its language needs
//   woven("{count} of {all}", { count: h("b", {}, "3"), all: 5 })   the same with nodes among the values; gives children for h()
//
// A sentence is one text: never join halves, other languages order them differently. Call t() when something is drawn, never while
// a module is read: the catalogue is not there yet. Then add the text to each catalogue. For a new language, add its catalogue and
// name it in LANGUAGES.

const LANGUAGES = ["de", "it"]; // beside English
const FORMS = ["one", "few", "many", "two", "zero"]; // in the order in which a text gives them; the last one given is for all others
const LEFTWARD = /^(ar|fa|he|ur)\b/;
const FIRST_LETTER = /[\p{L}]/u;
const HEBREW_TO_ARABIC = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

let catalogue = {};
export let language = "en";
let plural = new Intl.PluralRules("en");

// Loads the words of a language: the wanted one if there is a catalogue for it, or the first of the browser's.
export async function speak(wanted) {
  const asked = (wanted ? [wanted] : navigator.languages).map((each) => each.split("-")[0]);
  const found = asked.find((each) => each === "en" || LANGUAGES.includes(each)) ?? "en";
  if (found === language) return;
  const words = found === "en" ? {} : await fetch(new URL(`${found}.json`, import.meta.url)).then((reply) => reply.json(), () => null);
  if (!words) return; // without its words the page is better in English than not at all
  [catalogue, language, plural] = [words, found, new Intl.PluralRules(found)];
}

// Turns the page's frame: to the left for a language, or a question, that is written so.
export function turn(question = "") {
  const written = question.match(FIRST_LETTER)?.[0];
  const left = written ? HEBREW_TO_ARABIC.test(written) : LEFTWARD.test(language);
  Object.assign(document.documentElement, { lang: language, dir: left ? "rtl" : "ltr" });
}

// The form of a count: the named one if the text gives it, or the last.
function form(count, forms) {
  const place = FORMS.indexOf(plural.select(count));
  return place >= 0 && place < forms.length - 1 ? forms[place] : forms.at(-1);
}

// A number as the language writes it, with the digits that it was given.
export function number(value) {
  const point = (0.5).toLocaleString(language).at(1);
  return String(value).replace("-", "−").replace(".", point);
}

// The pieces of a text: words, and the values that stand among them.
export function woven(text, values = {}) {
  const [said, pieces] = [catalogue[text] ?? text, []];
  let end = 0;
  for (const { 0: whole, 1: name, 2: forms, index } of said.matchAll(/\{(\w+)(?:\|([^}]*))?\}/g)) {
    const value = values[name];
    pieces.push(said.slice(end, index), forms ? form(value, forms.split("|")) : typeof value === "number" ? number(value) : value);
    end = index + whole.length;
  }
  return [...pieces, said.slice(end)].filter((piece) => piece !== "");
}

export const t = (text, values) => woven(text, values).join("");

const formed = (date, how) => new Date(date).toLocaleString(language === "en" ? undefined : language, how);
export const moment = (date) => formed(date);
export const day = (date) => formed(date, { day: "numeric", month: "long", year: "numeric" });

// Names in a sentence: "haze", "haze and sun", "haze, sun and warmth".
export const listed = (names) => new Intl.ListFormat(language === "en" ? "en-GB" : language).format(names);

// Values and answers --------------------------------------------------------------------------------------------------------

export const ANSWERS = ["a", "same", "b", "much a", "much b", "both unacceptable", "skipped", "a failed", "b failed", "a unacceptable", "b unacceptable"];

// What an answer is called on its button; null if it has no name.
export function named(answer) {
  switch (answer) {
    case "a": return t("A is better");
    case "same": return t("About the same");
    case "b": return t("B is better");
    case "much a": return t("A is much better");
    case "much b": return t("B is much better");
    case "both unacceptable": return t("Neither is acceptable");
    case "skipped": return t("Can’t judge");
  }
  const [, letter, what] = answer.match(/^([a-f]) (failed|unacceptable)$/) ?? [null, ""];
  const side = letter.toUpperCase();
  if (what === "failed") return t("{side} didn’t work", { side });
  return what ? t("{side} is not acceptable", { side }) : null;
}

// The same within a sentence; an order as people read it, "C > A, B, D".
export function said(answer) {
  if (answer === "same") return t("about the same");
  if (answer === "skipped") return t("can’t judge");
  if (answer === "both unacceptable") return t("neither is acceptable");
  const order = () => answer.split(">").map((group) => [...group.toUpperCase()].join(", ")).join(" > ");
  return named(answer) ?? (/^[a-f]+(>[a-f]+)+$/.test(answer) ? order() : answer);
}

// Which side an answer chose: "a", "same" or "b"; null if it compared nothing.
export const sideOf = (answer) => answer.match(/^(?:much )?(a|b|same)$/)?.[1] ?? null;

export function shown(value, digits = 4) {
  if (typeof value !== "number") return String(value);
  return number(Number.isInteger(value) && Math.abs(value) < 1e9 ? value : Number(value.toPrecision(digits)));
}

// A value with its unit.
export const measure = (value, unit) => shown(value) + (unit ? ` ${unit}` : "");

// Returns a function that writes the value of a named variable with its unit.
export function writer(space) {
  const units = new Map((space.variables ?? []).map(({ name, unit }) => [name, unit]));
  return (name, value) => measure(value, units.get(name));
}

// The change from A to B: a difference, a factor if the variable is logarithmic, empty if there is none.
export function change(variable, a, b) {
  if (a === b) return "";
  if (typeof a !== "number" || typeof b !== "number") return t("differs");
  if (variable?.log && a > 0 && b > 0) return `×${shown(b / a, 3)}`;
  const difference = shown(b - a, 3);
  return b > a ? `+${difference}` : difference;
}

// The text alternative of a candidate; only its letter if the owner hides the parameters.
export function described(side, candidate, valued, hidden = false) {
  const values = Object.entries(candidate).map(([name, value]) => `${name} ${valued(name, value)}`);
  return t("Candidate {side}", { side: side.toUpperCase() }) + (hidden ? "" : `: ${values.join(", ")}`);
}

export const percent = (share) => t("{share} %", { share: Math.round(100 * share) });

// How long ago something was, in the largest unit: "2 hours ago".
export function ago(time) {
  const seconds = (Date.now() - new Date(time)) / 1000;
  const [unit, size] = [["day", 86_400], ["hour", 3600], ["minute", 60]].find((each) => seconds >= each[1]) ?? [];
  return unit ? new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(-Math.floor(seconds / size), unit) : t("just now");
}

export function clock(seconds) {
  const whole = Math.floor(seconds || 0);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

// How sure the answers are, in the same words on the finish card and on Result: { sure, then }.
export function verdict({ stop, probability_best: share, expected_gain: gain, one_sided: sided }) {
  if (sided) return { sure: t("Hard to say."), then: t("Nearly all answers chose the same side, so they say little about what is shown.") };
  return { sure: share > 0.99 ? t("Nearly certain.") : t("{share} sure.", { share: percent(share) }), then: stop ? t("More answers would hardly change it.") : more(gain) };
}

function more(gain) {
  if (gain <= 0.02) return t("About ten more answers should settle it.");
  if (gain <= 0.1) return t("About ten more answers should help a little.");
  return gain <= 1 ? t("About ten more answers should help noticeably.") : t("About ten more answers should help a lot.");
}
