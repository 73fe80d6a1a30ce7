// What a person can say besides an answer: ratings of the candidates, a row of stars for each with the study's words, and hints
// beside the values. Loaded for a study with ratings, or when the values are opened.

import { answerId, Refused } from "./api.js";
import { button, h, say } from "./dom.js";
import { badge, parameters } from "./parameters.js";
import { t } from "./words.js";

const USUAL = "very bad,bad,neutral,good,very good";
const given = new Map(); // levels that were given in this tab, by candidate

// The words of the scale: the usual ones can be translated, the owner's are shown as they are.
const worded = (scale) => (String(scale) === USUAL ? [t("very bad"), t("bad"), t("neutral"), t("good"), t("very good")] : scale);

function unsaved(error) {
  if (!(error instanceof Refused)) throw error;
  say(t("Not saved: {why}.", { why: error.message }));
}

export function rates(question, { api, study }) {
  return h("div", { class: "rates" }, [..."abcdef"].filter((side) => question[side]).map((side) => rate(question, side, api, worded(study.scale))));
}

function rate(question, side, api, words) {
  const key = JSON.stringify([api.root, question[side]]);
  const name = side.toUpperCase();
  const word = h("span", { class: "word" });
  const stars = words.map((text, k) => button("", () => give(k + 1), { title: text, "aria-label": t("Rate {side}: {word}", { side: name, word: text }) }));
  const show = () => {
    const level = given.get(key) ?? 0;
    stars.forEach((star, k) => {
      star.textContent = k < level ? "★" : "☆";
      star.setAttribute("aria-pressed", String(k + 1 === level));
    });
    word.textContent = words[level - 1] ?? "";
  };

  async function give(level) {
    const before = given.get(key);
    given.set(key, level);
    show();
    try {
      await api.rate({ step: question.step, side, level, answer_id: answerId() });
      say(t("{side} is rated: {word}.", { side: name, word: words[level - 1] }));
    } catch (error) {
      given.set(key, before);
      show();
      unsaved(error);
    }
  }

  show();
  return h("div", { class: `rate of-${side}`, role: "group", "aria-label": t("Rate {side}", { side: name }) }, badge(side), h("span", { class: "stars" }, stars), word);
}

// What a hint is called, and what it says.
function hinted(kind, name) {
  switch (kind) {
    case "more": return [t("more"), t("more {name} than in the best so far", { name })];
    case "less": return [t("less"), t("less {name} than in the best so far", { name })];
    case "fix": return [t("keep"), t("keep {name} as in the best so far", { name })];
    case "free": return [t("let go"), t("let {name} vary again", { name })];
    case "try": return [t("Try another setting next")];
    default: return [t("Stay near the best for a while")];
  }
}

// Shows what the owner's program reads from a reason; a hint counts once the person agrees. If the program fails, the answer counts all the same.
export async function suggested(place, step, api) {
  const found = await api.suggest(step).then(({ suggestions }) => suggestions, () => []);
  place.replaceChildren(...found.map(({ why, ...about }) => {
    const [text, title = text] = hinted(about.kind, about.variable);
    const body = { ...Object.fromEntries(Object.entries(about).filter(([, value]) => value !== null)), answer_id: answerId() };
    const row = h("p", { class: "row" }, h("span", { dir: "auto" }, t("Your reason suggests: {hint}.", { hint: title }), why && ` (${why})`), button(t("Yes, look there"), async () => {
      try {
        await api.hint(body);
        row.remove();
        say(t("Noted: {hint}. It counts from the next pair.", { hint: title }));
      } catch (error) {
        unsaved(error);
      }
    }), button(t("No"), () => row.remove()));
    return row;
  }));
  if (found.length) say(place.textContent);
}

// Puts the hints that the service would take now beside the values in the drawer; it is empty if they are on the stage.
export function hints(drawer, { question, hints: offered }, { api, study, noted }) {
  const hint = (kind, variable) => {
    const [text, title = text] = hinted(kind, variable);
    const id = answerId(); // pressed again after a lost reply, it counts once
    return button(text, async ({ target }) => {
      const row = target.closest("li");
      try {
        await api.hint({ kind, variable, answer_id: id });
        hints(drawer, await noted(t("Noted: {hint}. It counts from the next pair.", { hint: title })), { api, study, noted });
        (row.querySelector(`[data-kind=${kind}]`) ?? row.querySelector("button")).focus(); // it was drawn again
      } catch (error) {
        unsaved(error);
      }
    }, { dataset: { kind }, title, "aria-label": title });
  };
  if (!drawer.firstChild) drawer.append(parameters(question, study.space, false));
  for (const row of drawer.querySelectorAll("li:has(b)")) {
    row.children[2]?.remove();
    const name = row.querySelector("b").title;
    row.append(h("p", { class: "hints" }, offered[name]?.map((kind) => hint(kind, name))));
  }
  if (!drawer.querySelector("[data-kind=near]")) drawer.firstChild.append(h("li", { class: "hints" }, hint("near")));
}
