// The screen Start: the question, what will be shown, the keys.

import { h } from "./dom.js";
import { listOfKeys } from "./keys.js";
import { t } from "./texts.js";

// What will be shown, in a sentence.
function shows(study) {
  const kinds = Object.values(study.files).map(({ media_type: type }) => type.split("/")[0]);
  if (kinds.includes("image")) return t("Two pictures at a time: press the one you like better.");
  if (kinds.includes("audio")) return t("Two sounds at a time: press the one you like better.");
  if (kinds.includes("video")) return t("Two films at a time: press the one you like better.");
  return study.renders ? t("Two candidates, beside each other, at a time: press the one you like better.") : t("Two settings at a time: press the one you like better.");
}

export function start({ study, me, link }) {
  const variables = study.space.variables ?? [];
  const bare = study.hide_parameters;
  const begun = study.answers > 0;
  const many = begun ? t("About {expected} {expected|answer|answers}; {count} {count|is|are} given.", { expected: study.expected, count: study.answers }) : t("About {expected} {expected|answer|answers}.", { expected: study.expected });
  const free = variables.map(({ name }) => name).filter((name) => !(name in (study.space.fixed ?? {})));
  const node = h(
    "div",
    { class: "start column" },
    h("p", { class: "asks", dir: "auto" }, study.question),
    h("p", {}, `${shows(study)} ${many} ${t("There are no wrong answers, and you can undo each one.")}`),
    variables.length > 0 && !bare && h("p", { class: "quiet", dir: "auto" }, t("What varies: {names}.", { names: free.join(", ") })),
    me.role !== "viewer" && h("p", { class: "row" }, link("compare", begun ? t("Go on comparing") : t("Start comparing"), { class: "main big" })),
    me.role !== "viewer" && [h("h2", {}, t("Keys")), listOfKeys(8)],
  );
  return { node, title: study.title || study.name };
}
