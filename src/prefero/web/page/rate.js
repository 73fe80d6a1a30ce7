// Ratings of the two candidates that are shown: a row of stars for each, with the study's words.

import { answerId, Refused } from "./api.js";
import { button, h, say } from "./dom.js";
import { badge } from "./parameters.js";
import { t } from "./texts.js";

const USUAL = "very bad,bad,neutral,good,very good";
const given = new Map(); // levels that were given in this tab, by candidate

// The words of the scale: the usual ones can be translated, the owner's are shown as they are.
const worded = (scale) => (String(scale) === USUAL ? [t("very bad"), t("bad"), t("neutral"), t("good"), t("very good")] : scale);

export function rates(question, { api, study }) {
  return h("div", { class: "rates" }, ["a", "b"].map((side) => rate(question, side, api, worded(study.scale))));
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
      if (!(error instanceof Refused)) throw error;
      given.set(key, before);
      show();
      say(t("Not saved: {why}.", { why: error.message }));
    }
  }

  show();
  return h("div", { class: `rate of-${side}`, role: "group", "aria-label": t("Rate {side}", { side: name }) }, badge(side), h("span", { class: "stars" }, stars), word);
}
