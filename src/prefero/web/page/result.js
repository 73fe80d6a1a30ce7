// The screen Result: what won, how sure that is, how the others did and what matters; the statistics are under Details.

import { button, find, h, icon, kept, s, say } from "./dom.js";
import { silence, thumbnail, winner } from "./media.js";
import { listed, percent, shown, t, verdict, writer } from "./words.js";

const TELL = 300; // ms before the page says that it computes or draws
const MANY = 12; // values, which are folded then
const SAME = 5; // percent of a range: values this near are not worth telling apart
const FIRST = 5; // places shown before "Show all"
const levels = () => [[0, t("a guess")], [0.5, t("likely")], [0.75, t("fairly sure")], [0.95, t("sure")]];

export async function result({ api, me, study, link, go }) {
  const standing = await api.result();
  if (!standing.best) {
    const begin = me.role !== "viewer" && h("p", { class: "row" }, link("compare", t("Start comparing"), { class: "main big" }));
    return { node: h("div", { class: "column" }, h("p", {}, t("There are no answers yet, so there is nothing to show.")), begin), title: t("Result") };
  }
  const valued = writer(study.space);
  const words = (candidate) => Object.entries(candidate).map(([name, value]) => `${name} ${valued(name, value)}`).join(", ");
  const setting = h("dl", { class: "setting" }, Object.entries(standing.best).map(([name, value]) => h("div", {}, h("dt", { dir: "auto" }, name), h("dd", { dir: "auto" }, valued(name, value)))));
  const won = winner(standing.files, api, t("Best so far: {setting}", { setting: words(standing.best) }));
  const count = t("After {count} of about {expected} {expected|answer|answers}.", { count: standing.answers, expected: study.expected });
  const sure = h("div", { class: "sure" });
  const parts = h("div", { class: "parts" });
  const about = h(
    "div",
    { class: "about" },
    !won && h("span", { class: "chip best" }, icon("star"), t("Best so far")),
    sure,
    h("p", { class: "quiet" }, count),
    setting.childElementCount > MANY ? h("details", {}, h("summary", {}, t("All {count} values", { count: setting.childElementCount })), setting) : setting,
    h("div", { class: "row" }, button([icon("copy"), t("Copy the setting")], () => copy(JSON.stringify(standing.best, null, 1)), { class: "main" }), me.role !== "viewer" && link("compare", t("Keep comparing"), { class: "button" }), saved(api, me, study)),
  );
  const node = h(
    "div",
    { class: "result column" },
    h("section", { class: `hero${won ? "" : " alone"}`, "aria-label": t("Best so far") }, won && h("figure", {}, won, h("figcaption", { class: "chip best" }, icon("star"), t("Best so far"))), about),
    parts,
  );
  let left = false;
  const leave = () => {
    left = true;
    silence();
  };
  const filled = study.insight ? fill({ api, me, study, go, sure, parts, words, left: () => left }) : parts.append(ownAlone());
  return { node, title: t("Result"), leave, filled };
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    say(t("Copied."));
  } catch {
    say(t("The browser did not allow copying. Select the values instead."));
  }
}

function saved(api, me, study) {
  const file = (path, text) => h("a", { class: "button", href: api.download(path), download: true }, text);
  const files = [study.insight && file("report.html", t("Report")), me.role !== "judge" && [file("candidates.csv", t("Everything compared, as a table")), file("export.json", t("The whole study"))]].flat().filter(Boolean);
  return files.length > 0 && h("details", { class: "menu down" }, h("summary", { class: "button" }, icon("save"), t("Share or save")), h("div", {}, files));
}

// Not an error: if several people judge, a judge sees only the result of their own answers.
const ownAlone = () => h("p", { class: "others quiet" }, t("Several people judge this study. This is the result of your answers; its owner sees the result of all."));

// What takes a moment ------------------------------------------------------------------------------------------------

async function fill(given) {
  const { api, study, sure, parts, left } = given;
  const looking = t("Looking at the answers…");
  const told = setTimeout(() => {
    if (left() || !parts.isConnected) return;
    parts.replaceChildren(h("p", { class: "drawing quiet" }, looking));
    say(looking);
  }, TELL);
  let found;
  try {
    found = await api.insight();
  } catch (error) {
    if (!left()) failed(error, given);
    return;
  } finally {
    clearTimeout(told);
  }
  if (left()) return;
  if (find("#status").textContent === looking) say("");
  if (found.advice) sure.replaceChildren(...certainty(found.advice));
  const sections = [ranking(found.ranking, given), matters(found, study), knobs(found.slices), details(given)];
  parts.replaceChildren(...sections.filter(Boolean));
}

function failed(error, given) {
  if (error.status === 403) {
    given.parts.replaceChildren(ownAlone()); // another judge has answered meanwhile
    say("");
    return;
  }
  const why = t("This could not be computed: {why}. Your answers are safe.", { why: error.message });
  given.parts.replaceChildren(h("p", { class: "notice" }, why, button(t("Try again"), () => fill(given))));
  say(why);
}

// The card that stands where the next question would: what won, how sure that is, and two ways on.
// on: goes on with the question that waits; not given if there is none. stop: whether the advice was to stop.
export async function finish(stage, { api, study, me, go }, { current, why, stop, on, here }) {
  const { answers, expected } = current;
  const done = stop ? t("That’s it. We know your favourite.") : expected === 1 ? t("The planned answer is given") : t("All {expected} planned {expected|answer|answers} are given", { expected });
  const own = me.role === "judge" && !why && !stop ? await api.result().catch(() => ({})) : {};
  if (!here()) return;
  const late = own.judge && own.answers < expected; // others gave the answers that were planned
  const title = late ? t("The others are done. Your view still counts.") : why ? t("There is nothing left to ask") : done;
  const more = on && button(t("Keep comparing"), () => {
    kept.set(`keep ${study.name}`, answers + 10);
    on(current.question);
  });
  const see = button(t("See result"), () => go("result"), { class: "main" });
  const sure = h("div", { class: "sure" }, why && h("p", { dir: "auto" }, why));
  const card = h("div", { class: "finished" }, h("div", { class: "words" }, h("h2", {}, title), sure, h("p", { class: "row" }, see, more)));
  stage.replaceChildren(card);
  say(title);
  see.focus();
  const [standing, found] = await Promise.all([api.result(), study.insight && api.advice()].map((each) => each && each.catch(() => null)));
  if (!here() || !card.isConnected) return;
  if (standing?.best) card.prepend(...[winner(standing.files, api, t("Best so far"))].filter(Boolean));
  if (found?.advice) sure.append(...certainty(found.advice));
}

// The sentence and the meter, the same on the finish card.
export function certainty(advice) {
  const { sure, then } = verdict(advice);
  const share = advice.probability_best;
  const known = levels();
  const level = known.findLast(([from]) => share >= from)[1];
  const marks = known.slice(1).map(([from]) => h("i", { class: "mark", style: { left: `${100 * from}%` } }));
  const names = known.map(([, name]) => h("span", { class: name === level ? "now" : "" }, name));
  return [
    h("h2", { class: "verdict" }, h("b", {}, sure), ` ${then}`),
    !advice.one_sided && h("div", { class: "meter", role: "meter", "aria-label": t("How sure this is"), "aria-valuenow": Math.round(100 * share), "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuetext": `${percent(share)}, ${level}` }, h("span", { class: "rail" }, h("i", { style: { width: `${100 * share}%` } }), marks), h("span", { class: "names", "aria-hidden": "true" }, names)),
  ].filter(Boolean);
}

function section(key, title, words, ...content) {
  return h("section", { class: `part ${key}` }, h("header", {}, h("h2", {}, title), words && h("p", { class: "quiet", dir: "auto" }, words)), content);
}

function ranking(rows, { api, me, words, go }) {
  if (rows.length < 2) return null;
  const low = Math.min(...rows.map((row) => row.utility - row.spread));
  const high = Math.max(...rows.map((row) => row.utility + row.spread));
  const at = (value) => `${(100 * (value - low)) / (high - low || 1)}%`;
  let chosen = null; // the first of two that shall be compared again
  const choose = (row, { currentTarget: pressed }) => {
    if (chosen && chosen !== row) return compared(chosen.candidate, row.candidate, api, go);
    chosen = chosen ? null : row;
    pressed.setAttribute("aria-pressed", String(Boolean(chosen)));
    for (const ask of asks) ask.textContent = chosen && ask !== pressed ? t("With this one") : t("Compare again");
    say(chosen ? t("Now choose the one to compare it with.") : "");
    return undefined;
  };
  const asks = [];
  const items = rows.map((row, k) => {
    const label = t("Place {place}: {setting}", { place: k + 1, setting: words(row.candidate) });
    const likeness = thumbnail(row.files, api, label);
    const text = h("span", { class: "text", dir: "auto" }, k === 0 ? [h("b", {}, `${t("Best so far")}:`), ` ${words(row.candidate)}`] : words(row.candidate));
    const ask = me.role !== "viewer" && button(t("Compare again"), (event) => choose(row, event), { class: "plain ask", "aria-pressed": "false", title: label });
    if (ask) asks.push(ask);
    const line = h("span", { class: "whisk", "aria-hidden": "true", style: { "--l": at(row.utility - row.spread), "--m": at(row.utility), "--w": at(row.utility + row.spread) } });
    return h("li", { class: `rank${likeness ? "" : " bare"}`, hidden: k >= FIRST }, h("span", { class: "place" }, String(k + 1)), likeness, text, line, ask);
  });
  const more = button(t("Show all {count}", { count: rows.length }), () => {
    for (const each of items) each.hidden = false;
    more.remove();
  }, { class: "plain" });
  const said = t("The first {count} of those compared. Further right is liked more; the longer the line, the less sure.", { count: Math.min(FIRST, rows.length) });
  return section("ranking", t("How the others did"), said, h("ol", { class: "card ranks" }, items), rows.length > FIRST && h("p", { class: "row" }, more));
}

// Asks about two candidates again.
async function compared(one, other, api, go) {
  try {
    await api.enqueue(one, other);
    await go("compare");
  } catch (error) {
    say(t("Not asked: {why}.", { why: error.message }));
  }
}

function matters({ importance, person }, study) {
  const shares = Object.entries(importance).sort(([, x], [, y]) => y - x);
  const [first, ...rest] = shares.filter(([, share]) => share >= 0.1).map(([name]) => name);
  const next = { first, next: listed(rest.slice(0, 3)), count: rest.length };
  const said = first && shares.length > 1 && (rest.length ? t("{first} counts most; {next} {count|comes|come} next.", next) : t("{first} counts most.", next));
  const most = shares[0]?.[1] || 1;
  const bars = shares.map(([name, share]) => h("li", {}, h("b", { dir: "auto", title: name }, name), h("span", { class: "weight", "aria-hidden": "true" }, h("i", { style: { width: `${(100 * share) / most}%` } })), h("span", {}, percent(share))));
  return section("matters", t("What matters"), said, shares.length > 1 && h("ul", { class: "card weights" }, bars), h("div", { class: "card" }, h("h3", {}, t("Were the answers steady?")), h("p", { class: "quiet" }, steady(person, study))));
}

function steady({ a, b, contradictions }, study) {
  const odd = contradictions === 0 ? t("Yes: no answer contradicts another.") : t("{count} {count|answer does|answers do} not fit the others. That happens when two are close.", { count: contradictions });
  if (study.sides !== "random" || a + b < 10) return odd;
  const leans = Math.abs(a - b) > 1.96 * Math.sqrt(a + b);
  if (!leans) return `${odd} ${t("Left and right were chosen about equally often.")}`;
  const share = { count: Math.max(a, b), all: a + b };
  return `${odd} ${a > b ? t("The left one was chosen in {count} of {all} pairs, which is unusual.", share) : t("The right one was chosen in {count} of {all} pairs, which is unusual.", share)}`;
}

// One knob at a time ---------------------------------------------------------------------------------------------------

function knobs(slices) {
  if (!slices.length) return null;
  const words = t("Higher is liked more; the grey band is how unsure that is. The star is the best so far.");
  return section("knobs", t("One knob at a time"), words, h("ul", { class: "slices" }, slices.map(knob)));
}

function knob({ name, unit, kind, values, utility, spread, at }) {
  const place = kind === "log" ? Math.log : kind === "choice" ? (value) => values.indexOf(value) : (value) => value;
  const [from, to] = [place(values[0]), place(values.at(-1))];
  const x = (k) => (100 * (place(values[k]) - from)) / (to - from || 1);
  const low = Math.min(...utility.map((u, k) => u - spread[k]));
  const high = Math.max(...utility.map((u, k) => u + spread[k]));
  const y = (u) => 100 - (100 * (u - low)) / (high - low || 1);
  const points = (sign) => values.map((_, k) => `${x(k).toFixed(1)} ${y(utility[k] + sign * spread[k]).toFixed(1)}`);
  const line = (sign) => `M${points(sign).join("L")}`;
  const curve = [s("path", { class: "band", d: `${line(1)}L${points(-1).toReversed().join("L")}Z` }), s("path", { class: "mean", d: line(0) })];
  const bars = values.map((_, k) => [s("line", { class: "band", x1: x(k), x2: x(k), y1: y(utility[k] - spread[k]), y2: y(utility[k] + spread[k]) }), s("line", { class: "dot", x1: x(k), x2: x(k), y1: y(utility[k]), y2: y(utility[k]) })]);
  const text = (value) => shown(value) + (unit ? ` ${unit}` : "");
  const top = values[utility.indexOf(Math.max(...utility))];
  const near = kind === "choice" ? top === values[at] : Math.abs(x(values.indexOf(top)) - x(at)) < SAME;
  const said = near ? t("Best at {value}.", { value: text(values[at]) }) : t("The best so far has {value}; {other} may be liked as much.", { value: text(values[at]), other: text(top) });
  const drawing = s("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" }, kind === "choice" ? bars : curve);
  const star = h("span", { class: "star", style: { left: `${x(at)}%`, top: `${y(utility[at])}%` } }, icon("star"));
  return h("li", { class: "card knob" }, h("h3", { dir: "auto" }, name), h("div", { class: "box", role: "img", "aria-label": `${name}: ${said}` }, drawing, star), h("p", { class: "ends", dir: "auto" }, (kind === "choice" ? values.map(String) : [text(values[0]), text(values.at(-1))]).map((each) => h("span", {}, each))), h("p", { class: "quiet" }, said));
}

// Details: the statistics, drawn by the server when they are asked for -----------------------------------------------

function details({ api, left }) {
  const inside = h("div", { class: "figures" });
  let asked = false;
  const fold = h("details", { class: "card fold" }, h("summary", {}, t("Details: the statistics and every number")), inside);
  const load = async () => {
    asked = true;
    const began = performance.now();
    const clock = h("span", { "aria-hidden": "true" });
    inside.replaceChildren(h("p", { class: "drawing quiet" }, t("Drawing the figures…"), " ", clock));
    say(t("Drawing the figures…"));
    const timer = setInterval(() => (clock.textContent = t("{seconds} s", { seconds: ((performance.now() - began) / 1000).toFixed(1) })), 100);
    try {
      const found = await api.figures();
      if (left()) return;
      dress(found.stylesheet);
      inside.lang = "en"; // these words are the server's
      inside.replaceChildren(h("p", {}, `${found.verdict.reason} ${found.verdict.words}`), ...found.sections.map(figures));
      say(t("The figures are drawn."));
    } catch (error) {
      if (left()) return;
      const why = t("The figures could not be drawn: {why}.", { why: error.message });
      inside.replaceChildren(h("p", { class: "notice" }, why, button(t("Try again"), load)));
      say(why);
    } finally {
      clearInterval(timer);
    }
  };
  fold.addEventListener("toggle", () => fold.open && !asked && load());
  return h("section", { class: "part details" }, fold);
}

// Sets the figures' colours; the page's policy allows a constructed style sheet, but no inline styles.
function dress(rules) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules);
  document.adoptedStyleSheets = [sheet];
}

function figures({ key, title, words, exhibits }) {
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
  return h(
    "div",
    { class: "exhibit" },
    titled && h("h3", { dir: "auto" }, caption),
    figure && h("figure", { tabindex: "0" }, picture(figure)),
    words && h("p", { class: "quiet", dir: "auto" }, words),
    h("details", {}, h("summary", {}, figure ? t("As a table") : caption), grid(table, caption)),
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

// Puts what is new on Result where the old stands: the winner at once, the rest when it is computed. What somebody uses stays.
export async function renewed(old, fresh) {
  const [hero, now] = [old.querySelector(".hero"), fresh.node.querySelector(".hero")];
  if (!hero || !now || hero.matches(":focus-within, :has([open])")) return;
  now.querySelector(".sure").replaceChildren(...hero.querySelector(".sure").childNodes);
  const [was, won] = [hero, now].map((each) => each.querySelector("figure"));
  if (was && was.innerHTML === won?.innerHTML) won.replaceWith(was); // a sound may be playing
  hero.replaceWith(now);
  await fresh.filled;
  const parts = old.querySelector(".parts");
  if (!parts.matches(":focus-within, :has([open])")) parts.replaceWith(fresh.node.querySelector(".parts"));
}
