// The parameters of a pair: one table, name | A | B | change. Without media it is what is compared, and has bars.

import { h } from "./dom.js";
import { change, measure } from "./words.js";

const MOST_TALL = 9; // rows with their bars below the values

export function parameters(question, space, large) {
  const variables = new Map((space.variables ?? []).map((variable) => [variable.name, variable]));
  // A variable whose conditions are not met is absent from a candidate.
  const names = variables.size ? [...variables.keys()].filter((name) => name in question.a || name in question.b) : Object.keys(question.a);
  const rows = names.map((name) => row(name, variables.get(name), question.a[name], question.b[name], large));
  const unit = Math.max(0, ...[...variables.values()].map((each) => (each.unit ? each.unit.length + 1 : 0)));
  const [a, b] = ["a", "b"].map((side) => question.measured[side].numbers);
  const numbers = Object.keys({ ...a, ...b }).map((name) => row(name, undefined, a[name] ?? "–", b[name] ?? "–", large));
  return h(
    "div",
    { class: `parameters${large ? " large" : ""}${large && rows.length + numbers.length > MOST_TALL ? " dense" : ""}`, tabindex: "0", role: "region", "aria-label": "Parameters", style: { "--rows": rows.length + numbers.length, "--unit": `${unit}ch` } },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ["Parameter", "A", "B", "Change"].map((text, k) => h("th", { scope: "col", class: ["", "of-a", "of-b", ""][k] }, text)))),
      h("tbody", {}, rows),
      numbers.length > 0 && h("tbody", { class: "measured" }, h("tr", {}, h("th", { colspan: 4, scope: "rowgroup" }, "Measured")), numbers),
    ),
  );
}

function row(name, variable, a, b, large) {
  const differs = a !== b;
  const cell = (side, value) =>
    h("td", { class: `of-${side}` }, h("span", { dir: "auto" }, value === undefined ? "–" : measure(value, variable?.unit)), large && bar(variable, value));
  return h(
    "tr",
    { class: differs ? "differs" : "" },
    h("th", { scope: "row", dir: "auto", title: name }, name),
    cell("a", a),
    cell("b", b),
    h("td", { class: "change" }, change(variable, a, b)),
  );
}

// Where a value lies between its bounds; a picture of the number beside it.
function bar(variable, value) {
  if (!variable || typeof value !== "number" || !(variable.high > variable.low)) return h("i", { class: "bar none" });
  const at = variable.log ? Math.log : (x) => x;
  const share = (at(value) - at(variable.low)) / (at(variable.high) - at(variable.low));
  return h("i", { class: "bar", "aria-hidden": "true" }, h("i", { style: { width: `${Math.max(0, Math.min(1, share)) * 100}%` } }));
}
