// How values and answers are written.

import { language, number, t } from "./texts.js";

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
    case "a failed": return t("A didn’t work");
    case "b failed": return t("B didn’t work");
    case "a unacceptable": return t("A is not acceptable");
    case "b unacceptable": return t("B is not acceptable");
    default: return null;
  }
}

// The same within a sentence.
export function said(answer) {
  if (answer === "same") return t("about the same");
  if (answer === "skipped") return t("can’t judge");
  if (answer === "both unacceptable") return t("neither is acceptable");
  return named(answer) ?? answer;
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
