// The screen Result: the recommended setting at once, then the server's figures, each with its data as a table.

import { button, h, say } from "./dom.js";
import { writer } from "./words.js";

const TELL = 300; // ms before the page says that something is being drawn

export async function result({ api, me, study, link }) {
  const standing = await api.result();
  if (!standing.best) {
    const begin = h("p", { class: "row" }, link("compare", "Start comparing", { class: "main" }));
    return { node: h("div", { class: "column" }, h("p", {}, "Nothing was answered yet."), begin), title: "Result" };
  }
  const valued = writer(study.space);
  const rows = Object.entries(standing.best).map(([name, value]) => h("tr", {}, h("th", { scope: "row", dir: "auto" }, name), h("td", { dir: "auto" }, valued(name, value))));
  const copied = JSON.stringify(standing.best, null, 1);
  const count = `By ${standing.answers} ${standing.answers === 1 ? "answer" : "answers"} of about ${study.expected}.`;
  const sure = h("div", { class: "sure" }, h("p", { class: "quiet" }, count));
  const parts = h("div", { class: "parts" });
  const node = h(
    "div",
    { class: "result column" },
    h("section", { class: "best" }, h("h2", {}, "Recommended setting"), h("table", { class: "setting" }, h("tbody", {}, rows)), sure, h("p", { class: "row" }, button("Copy", () => copy(copied), { class: "main" }), files(api, me, study))),
    parts,
  );
  if (!study.insight) {
    parts.append(ownAlone());
    return { node, title: "Result" };
  }
  let left = false;
  const stop = drawn(api, sure, parts, () => left);
  return { node, title: "Result", leave: () => { left = true; stop(); } };
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied.");
  } catch {
    say("The browser did not allow copying. Select the values instead.");
  }
}

const file = (api, path, text) => h("a", { class: "button", href: api.download(path), download: true }, text);

const files = (api, me, study) => [study.insight && file(api, "report.html", "Report as HTML"), me.role !== "judge" && [file(api, "candidates.csv", "Candidates as CSV"), file(api, "export.json", "Study as JSON")]];

// Not an error: if several people judge, a judge sees only the result of their own answers.
const ownAlone = () => h("p", { class: "others quiet" }, "Several people judge this study. This is the result of your answers; its owner sees the result of all.");

// Slow parts ---------------------------------------------------------------------------------------------------------

// Fetches the figures and shows the time it takes; returns a function that stops the clock.
function drawn(api, sure, parts, left) {
  const began = performance.now();
  const clock = h("span", { "aria-hidden": "true" });
  let timer = setTimeout(function tell() {
    if (!clock.isConnected) {
      parts.replaceChildren(h("p", { class: "drawing quiet" }, "Drawing the figures… ", clock));
      say("Drawing the figures…");
    }
    clock.textContent = `${((performance.now() - began) / 1000).toFixed(1)} s`;
    timer = setTimeout(tell, 100);
  }, TELL);
  const stop = () => clearTimeout(timer);
  api.figures().then(
    (found) => {
      stop();
      if (left()) return;
      if (clock.isConnected) say("The figures are drawn.");
      dress(found.stylesheet);
      sure.prepend(h("p", { class: "advice" }, found.verdict.reason), h("p", {}, found.verdict.words));
      parts.replaceChildren(...found.sections.map(section));
    },
    (error) => {
      stop();
      if (left()) return;
      if (error.status === 403) {
        parts.replaceChildren(ownAlone()); // another judge has answered meanwhile
        say("");
        return;
      }
      const why = `The figures could not be drawn: ${error.message}.`;
      parts.replaceChildren(h("p", { class: "notice" }, why, button("Try again", () => drawn(api, sure, parts, left))));
      say(why);
    },
  );
  return stop;
}

// Sets the figures' colours; the page's policy allows a constructed style sheet, but no inline styles.
function dress(rules) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules);
  document.adoptedStyleSheets = [sheet];
}

function section({ key, title, words, exhibits }) {
  const small = key === "slices";
  return h(
    "section",
    { class: `part ${key}` },
    h("h2", {}, title),
    words.split("\n").map((line) => h("p", { dir: "auto" }, line)),
    h("div", { class: small ? "small" : "exhibits" }, exhibits.map((each) => exhibit(each, small))),
  );
}

function exhibit({ caption, words, figure, table }, titled) {
  const data = grid(table, caption);
  return h(
    "div",
    { class: "exhibit" },
    titled && h("h3", { dir: "auto" }, caption),
    figure && h("figure", { tabindex: "0" }, picture(figure)),
    words && h("p", { class: "quiet", dir: "auto" }, words),
    h("details", {}, h("summary", {}, figure ? "As a table" : caption), data),
  );
}

// A figure from the server, as nodes; it is parsed as SVG, never as HTML.
function picture(text) {
  const drawing = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  return drawing.localName === "svg" && !drawing.querySelector("script, foreignObject, parsererror") ? document.importNode(drawing, true) : null;
}

function grid({ columns, rows }, caption) {
  const kind = columns.map(({ number }) => (number ? "number" : ""));
  const cells = (row) => row.map((text, k) => h(k ? "td" : "th", { scope: k ? null : "row", dir: "auto", class: kind[k] }, text));
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {}, h("thead", {}, h("tr", {}, columns.map(({ name }, k) => h("th", { scope: "col", dir: "auto", class: kind[k] }, name)))), h("tbody", {}, rows.map((row) => h("tr", {}, cells(row))))),
  );
}
