// How values and answers are written.

export const ANSWERS = {
  a: "A is better",
  same: "About the same",
  b: "B is better",
  "much a": "A is much better",
  "much b": "B is much better",
  "both unacceptable": "Neither is acceptable",
  skipped: "Can’t judge",
  "a failed": "A didn’t work",
  "b failed": "B didn’t work",
  "a unacceptable": "A is not acceptable",
  "b unacceptable": "B is not acceptable",
};

// Which side an answer chose: "a", "same" or "b"; null if it compared nothing.
export const sideOf = (answer) => answer.match(/^(?:much )?(a|b|same)$/)?.[1] ?? null;

// The same within a sentence.
const WITHIN = { same: "about the same", skipped: "can’t judge", "both unacceptable": "neither is acceptable" };
export const said = (answer) => WITHIN[answer] ?? ANSWERS[answer] ?? answer;

export function shown(value, digits = 4) {
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return minus(String(value));
  return minus(String(Number(value.toPrecision(digits))));
}

// A value with its unit.
export const measure = (value, unit) => shown(value) + (unit ? ` ${unit}` : "");

// Returns a function that writes the value of a named variable with its unit.
export function writer(space) {
  const units = new Map((space.variables ?? []).map(({ name, unit }) => [name, unit]));
  return (name, value) => measure(value, units.get(name));
}

const minus = (text) => text.replace("-", "−");

// The change from A to B: a difference, a factor if the variable is logarithmic, empty if there is none.
export function change(variable, a, b) {
  if (a === b) return "";
  if (typeof a !== "number" || typeof b !== "number") return "differs";
  if (variable?.log && a > 0 && b > 0) return `×${shown(b / a, 3)}`;
  const difference = shown(b - a, 3);
  return b > a ? `+${difference}` : difference;
}

// The text alternative of a candidate; only its letter if the owner hides the parameters.
export function described(side, candidate, valued, hidden = false) {
  const values = Object.entries(candidate).map(([name, value]) => `${name} ${valued(name, value)}`);
  return `Candidate ${side.toUpperCase()}${hidden ? "" : `: ${values.join(", ")}`}`;
}

export const percent = (share) => `${Math.round(100 * share)} %`;

export function clock(seconds) {
  const whole = Math.floor(seconds || 0);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

// How sure the answers are, in the same words on the finish card and on Result: { sure, then }.
export function verdict({ stop, probability_best: share, expected_gain: gain, one_sided: sided }) {
  if (sided) return { sure: "Hard to say.", then: "Nearly all answers chose the same side, so they say little about what is shown." };
  const help = gain <= 0.02 ? "settle it" : gain <= 0.1 ? "help a little" : gain <= 1 ? "help noticeably" : "help a lot";
  return {
    sure: share > 0.99 ? "Nearly certain." : `${percent(share)} sure.`,
    then: stop ? "More answers would hardly change it." : `About ten more answers should ${help}.`,
  };
}

// Names in a sentence: "haze", "haze and sun", "haze, sun and warmth".
export const listed = (names) => (names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : (names[0] ?? ""));
