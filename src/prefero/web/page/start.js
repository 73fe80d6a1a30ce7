// The screen Start: the question, what will be shown, the keys.

import { h } from "./dom.js";
import { listOfKeys } from "./keys.js";

const THINGS = { image: "pictures", audio: "sounds", video: "films" };

export function start({ study, link }) {
  const variables = study.space.variables ?? [];
  const bare = study.hide_parameters;
  const kinds = Object.values(study.files).map(({ media_type: type }) => THINGS[type.split("/")[0]]).filter(Boolean);
  const what = `Two ${kinds[0] ?? (study.renders ? "candidates, beside each other," : "settings")} at a time: press the one you like better.`;
  const begun = study.answers > 0;
  const node = h(
    "div",
    { class: "start column" },
    h("p", { class: "asks", dir: "auto" }, study.question),
    h("p", {}, `${what} About ${study.expected} answers${begun ? `; ${study.answers} are given` : ""}. There are no wrong answers, and you can undo each one.`),
    variables.length > 0 && !bare && h("p", { class: "quiet", dir: "auto" }, `What varies: ${variables.map(({ name }) => name).filter((name) => !(name in (study.space.fixed ?? {}))).join(", ")}.`),
    h("p", { class: "row" }, link("compare", begun ? "Go on comparing" : "Start comparing", { class: "main big" })),
    h("h2", {}, "Keys"),
    listOfKeys(8),
  );
  return { node, title: study.name };
}
