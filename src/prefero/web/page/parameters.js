// The values of a pair, as dots on the range of each variable. Without media they are what is compared: a table, name | A | range | B |
// change. With media they are a drawer below it.

import { h } from "./dom.js";
import { change, measure, t } from "./words.js";

const MOST_TALL = 9; // rows of the table before it becomes dense

export const badge = (side) => h("span", { class: `badge ${side}` }, side.toUpperCase());

export function parameters(question, space, large) {
  const [rows, numbers] = values(question, space);
  const [most, style] = [rows.length + numbers.length, { "--rows": rows.length + numbers.length }];
  const place = { tabindex: "0", "aria-label": t("Values of A and B") };
  if (!large) return h("ul", { class: "parameters", ...place }, [...rows, ...numbers].map(item));
  return h(
    "div",
    { class: `parameters large${most > MOST_TALL ? " dense" : ""}`, role: "region", style, ...place },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("Name")), h("th", { scope: "col", class: "of-a" }, badge("a")), h("td", {}), h("th", { scope: "col", class: "of-b" }, badge("b")), h("th", { scope: "col" }, t("Change")))),
      h("tbody", {}, rows.map(row)),
      numbers.length > 0 && h("tbody", { class: "measured" }, h("tr", {}, h("th", { colspan: 5, scope: "rowgroup" }, t("Measured"))), numbers.map(row)),
    ),
  );
}

// The variables of a pair, and the numbers measured about it: { name, variable, a, b }.
function values(question, space) {
  const variables = new Map((space.variables ?? []).map((variable) => [variable.name, variable]));
  // A variable whose conditions are not met is absent from a candidate.
  const names = variables.size ? [...variables.keys()].filter((name) => name in question.a || name in question.b) : Object.keys(question.a);
  const [a, b] = ["a", "b"].map((side) => question.measured[side].numbers);
  return [
    names.map((name) => ({ name, variable: variables.get(name), a: question.a[name], b: question.b[name] })),
    Object.keys({ ...a, ...b }).map((name) => ({ name, a: a[name], b: b[name] })),
  ];
}

const written = (value, variable) => (value === undefined ? "–" : measure(value, variable?.unit));

function row({ name, variable, a, b }) {
  const cell = (side, value) => h("td", { class: `of-${side}` }, h("span", { dir: "auto" }, written(value, variable)));
  return h(
    "tr",
    { class: a === b ? "" : "differs" },
    h("th", { scope: "row", dir: "auto", title: name }, name),
    cell("a", a),
    h("td", {}, range(variable, a, b)),
    cell("b", b),
    h("td", { class: "change" }, change(variable, a, b)),
  );
}

function item({ name, variable, a, b }) {
  const value = (side, of) => h("span", {}, `${side} `, h("span", { dir: "auto" }, written(of, variable)));
  return h("li", { class: a === b ? "" : "differs" }, h("p", {}, h("b", { dir: "auto", title: name }, name), value("A", a), value("B", b)), range(variable, a, b));
}

// Where A and B lie between the variable's bounds; a picture of the numbers beside it.
function range(variable, a, b) {
  const at = placed(variable);
  if (!at) return h("span", { class: "range none" });
  const [x, y] = [a, b].map((value) => (value === undefined ? null : `${100 * at(value)}%`));
  const between = x !== null && y !== null && h("i", { class: "span", style: at(a) < at(b) ? { "--x": x, "--y": y } : { "--x": y, "--y": x } });
  return h("span", { class: "range", "aria-hidden": "true" }, between, x !== null && h("i", { class: "a", style: { "--x": x } }), y !== null && h("i", { class: "b", style: { "--x": y } }));
}

// A function from a value to its share of the range, from 0 to 1; null if the variable has no range.
function placed(variable) {
  if (variable?.type === "ordinal") return (value) => Math.max(0, variable.levels.indexOf(value)) / (variable.levels.length - 1);
  if (!(variable?.high > variable?.low)) return null;
  const scale = variable.log ? Math.log : (x) => x;
  const [low, high] = [scale(variable.low), scale(variable.high)];
  return (value) => Math.max(0, Math.min(1, (scale(value) - low) / (high - low)));
}
