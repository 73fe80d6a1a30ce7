// The widget in a notebook's cell. Python sends the state; a press or a key sends back what the person did. Everything that comes
// from Python is put in as text, as a picture, or into a frame in which no script runs.

const QUIET = 250; // ms after a question appears in which answers are ignored: they were meant for the question before
const PICKS = { best: 1, worst: 1, "best and worst": 2 }; // how many candidates are named, of a question about more than two
const PAIR = [
  ["much a", "A is much better", "⇧←", ["Shift+ArrowLeft"]],
  ["a", "A is better", "←", ["ArrowLeft", "a", "1"]],
  ["same", "About the same", "↓", ["ArrowDown", "s", "0"]],
  ["b", "B is better", "→", ["ArrowRight", "b", "2"]],
  ["much b", "B is much better", "⇧→", ["Shift+ArrowRight"]],
];
const HINTS = { more: "more", less: "less", fix: "keep", free: "let go" };
const NEITHER = "both unacceptable";
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:";

// An element with attributes and children; text is never taken for HTML.
function h(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null) node.setAttribute(key, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== false && child !== ""));
  return node;
}

const id = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
const named = (side) => side.toUpperCase();

// What is shown of a candidate --------------------------------------------------------------------------------------------

function pictured(file, range) {
  const title = file.name;
  if (file.type.startsWith("image/")) return h("img", { src: file.src, alt: title });
  if (file.type.startsWith("audio/")) return h("audio", { src: file.src, controls: true, "aria-label": title });
  if (file.type.startsWith("video/")) return h("video", { src: file.src, controls: true, loop: true, "aria-label": title });
  if (file.type === "text/html") {
    const policy = `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`;
    return h("iframe", { sandbox: "", srcdoc: policy + file.text, title });
  }
  if (file.type === "text/csv") return plotted(columns(file.text), range, title);
  return h("pre", {}, file.text);
}

// The numbers of a CSV: the first column is the horizontal axis.
function columns(text) {
  const [head, ...lines] = text.trim().split("\n");
  const rows = lines.map((line) => line.split(",").map((cell) => (cell === "" ? NaN : Number(cell))));
  return { names: head.split(","), rows };
}

// The smallest and the largest number of both axes, over all candidates: so their curves can be compared.
function rangeOf(candidates) {
  const all = candidates.flatMap((each) => each.files.filter((file) => file.type === "text/csv").map((file) => columns(file.text).rows)).flat();
  const ends = (values) => {
    const finite = values.filter(Number.isFinite);
    const [low, high] = finite.length ? [Math.min(...finite), Math.max(...finite)] : [0, 1];
    return low === high ? [low - 1, high + 1] : [low, high];
  };
  return { x: ends(all.map((row) => row[0])), y: ends(all.flatMap((row) => row.slice(1))) };
}

function plotted({ names, rows }, { x, y }, title) {
  const svg = (name, attributes, ...children) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const at = (row, k) => `${(4 + (292 * (row[0] - x[0])) / (x[1] - x[0])).toFixed(1)},${(166 - (162 * (row[k] - y[0])) / (y[1] - y[0])).toFixed(1)}`;
  const lines = names.slice(1).map((_, k) => svg("polyline", { points: rows.filter((row) => Number.isFinite(row[0]) && Number.isFinite(row[k + 1])).map((row) => at(row, k + 1)).join(" "), class: `line line-${k % 4}` }));
  const write = (value) => Number(value.toPrecision(3));
  const label = `${title}: ${names[0]} from ${write(x[0])} to ${write(x[1])}, ${names.slice(1).join(", ")} from ${write(y[0])} to ${write(y[1])}`;
  const figure = svg("svg", { viewBox: "0 0 300 170", role: "img", "aria-label": label }, svg("rect", { x: 4, y: 4, width: 292, height: 162, class: "axes" }), ...lines);
  return h("figure", {}, figure, h("figcaption", {}, label));
}

// The values of the candidates side by side; where they differ, they are bold.
function table(candidates) {
  const rows = new Map();
  candidates.forEach((candidate, k) => [...candidate.values, ...candidate.numbers].forEach(([name, value]) => {
    if (!rows.has(name)) rows.set(name, candidates.map(() => "–"));
    rows.get(name)[k] = value;
  }));
  if (!rows.size) return "";
  const head = candidates[0].side ? h("tr", {}, h("td"), candidates.map(({ side }) => h("th", { scope: "col", class: `of-${side}` }, named(side)))) : "";
  const body = [...rows].map(([name, values]) => h("tr", {}, h("th", { scope: "row" }, name), values.map((value) => h("td", { class: new Set(values).size > 1 ? "differs" : null }, value))));
  return h("table", {}, head && h("thead", {}, head), h("tbody", {}, body));
}

function pane(candidate, range, fail) {
  const { side, files, failed } = candidate;
  const shown = files.map((file) => pictured(file, range));
  if (failed) shown.push(h("p", { class: "failed" }, `This candidate cannot be shown: ${failed}. `, side && h("button", { type: "button", onclick: () => fail(side) }, `Set ${named(side)} aside`)));
  return h("div", { class: `pane of-${side}`, role: "group", "aria-label": side ? `Candidate ${named(side)}` : "Best so far" }, side && h("b", { class: "badge" }, named(side)), shown);
}

function shownOf(candidates, fail) {
  const range = rangeOf(candidates);
  const any = candidates.some((each) => each.files.length || each.failed);
  return [any ? h("div", { class: "panes" }, candidates.map((each) => pane(each, range, fail))) : "", table(candidates)];
}

// The widget ----------------------------------------------------------------------------------------------------------------

function render({ model, el }) {
  let picked = []; // sides named so far, of a question about more than two
  let waiting = false; // for Python
  let shown = { step: null, at: 0, id: "" };
  let beside = { note: "", sure: true }; // what is said beside the next answer
  let hinting = false; // whether the hints are open
  let keys = new Map();

  // Lumino, which JupyterLab's shortcuts are made of, leaves keys alone inside an element with this attribute: x would cut the cell.
  const root = h("div", { class: "prefero", tabindex: "0", role: "group", "aria-label": "Compare", "data-lm-suppress-shortcuts": "true", onkeydown: (event) => pressed(event) });
  el.append(root);

  function send(said) {
    if (waiting) return;
    waiting = true;
    root.setAttribute("aria-busy", "true");
    for (const control of root.querySelectorAll("button, input")) control.disabled = true;
    const seconds = Math.round(performance.now() - shown.at) / 1000;
    model.set("said", { step: shown.step, id: shown.id, seconds, nonce: id(), ...said });
    model.save_changes();
  }

  function answer(said) {
    if (performance.now() - shown.at >= QUIET) send({ action: "answer", answer: said, ...beside });
  }

  const skip = () => performance.now() - shown.at >= QUIET && send({ action: "skip" });
  const undo = () => {
    if (!picked.length) return send({ action: "undo", id: id() });
    picked.pop();
    return draw();
  };
  const fail = (side) => send({ action: "fail", side });

  function pressed(event) {
    event.stopPropagation(); // a notebook's own shortcuts are not meant
    if (event.repeat || event.isComposing || event.altKey || event.target.closest("audio, video, input")) return;
    const undoes = (event.ctrlKey || event.metaKey) && event.key === "z";
    if (!undoes && (event.ctrlKey || event.metaKey)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = undoes ? undo : keys.get(event.shiftKey ? `Shift+${key}` : key);
    if (!act) return;
    event.preventDefault();
    act();
  }

  function button(words, cap, act, hold, kind = "") {
    for (const key of hold) keys.set(key, act);
    return h("button", { type: "button", class: kind, onclick: act }, words, cap && h("kbd", { "aria-hidden": "true" }, cap));
  }

  function pairButtons(strengths) {
    return PAIR.filter(([said]) => strengths || !said.startsWith("much")).map(([said, words, cap, hold]) => button(words, cap, () => answer(said), hold, `answer of-${said.at(-1)}`));
  }

  // The next thing to say about more than two candidates: which of them, or which place.
  function severalButtons({ kind, candidates }) {
    const sides = candidates.map(({ side }) => side);
    if (kind === "insert") return sides.map((_, k) => button(`Place ${k + 1}`, String(k + 1), () => answer(`place ${k + 1}`), [String(k + 1)], "answer"));
    const most = PICKS[kind] ?? sides.length - 1;
    const pick = (side) => {
      picked.push(side);
      if (picked.length < most) return draw();
      const order = kind === "rank" ? [...picked, sides.find((each) => !picked.includes(each))] : picked;
      const said = kind === "best" || kind === "worst" ? `${kind} ${side}` : order;
      picked = [];
      return answer(said);
    };
    return sides.map((side, k) => (picked.includes(side) ? h("span", { class: "taken" }, `${named(side)}: ${place(kind, picked.indexOf(side))}`) : button(words(kind, side), named(side), () => pick(side), [side, String(k + 1)], `answer of-${side}`)));
  }

  const place = (kind, k) => (kind === "rank" ? `${k + 1}.` : k ? "worst" : "best");
  function words(kind, side) {
    if (kind === "rank") return `${named(side)} is number ${picked.length + 1}`;
    return `${named(side)} is the ${kind === "worst" || picked.length ? "worst" : "best"}`;
  }

  // A row of stars for each candidate; a new rating replaces the one before.
  function rates({ scale, question }) {
    const stars = ({ side, level }) => scale.map((word, k) => h("button", { type: "button", class: "star", title: word, "aria-label": `Rate ${named(side)}: ${word}`, "aria-pressed": String(k + 1 === level), onclick: () => send({ action: "rate", side, level: k + 1, id: id() }) }, k < level ? "★" : "☆"));
    return h("div", { class: "rates" }, question.candidates.map((each) => h("div", { role: "group", "aria-label": `Rate ${named(each.side)}` }, h("b", {}, named(each.side)), stars(each), h("span", {}, scale[each.level - 1] ?? ""))));
  }

  function hints(offered) {
    const hint = (kind, variable, words, about) => h("button", { type: "button", "aria-label": about, title: about, onclick: () => send({ action: "hint", kind, variable, id: id() }) }, words);
    const rows = Object.entries(offered).map(([name, kinds]) => h("li", {}, h("span", {}, name), kinds.map((kind) => hint(kind, name, HINTS[kind], `${HINTS[kind]} ${name}`))));
    return h("details", { class: "hints", open: hinting, ontoggle: (event) => (hinting = event.target.open) }, h("summary", {}, "Hints"), h("ul", {}, rows, h("li", {}, hint("near", null, "Stay near the best for a while", null))));
  }

  // What is said beside an answer: why, and that the person is not sure of it.
  function doubts(unsure) {
    const why = h("input", { class: "why", "aria-label": "Why? It is saved with the next answer", placeholder: "Why? (optional)", maxlength: "2000", value: beside.note, oninput: (event) => (beside.note = event.target.value) });
    const doubt = button("Not sure", "U", () => ((beside.sure = !beside.sure), draw()), ["u"]);
    doubt.setAttribute("aria-pressed", String(!beside.sure));
    return [why, unsure && doubt];
  }

  function dock(state) {
    const back = button("Undo", "Z", undo, ["z", "Backspace"]);
    if (!state.question) return [h("div", { class: "more" }, back, state.more ? button("Continue", "", () => send({ action: "continue" }), []) : "")];
    const pair = state.question.kind === "pair";
    const main = pair ? pairButtons(state.strengths) : severalButtons(state.question);
    const neither = button(pair ? "Neither is acceptable" : "None is good enough", "N", () => answer(NEITHER), ["n"]);
    const more = h("div", { class: "more" }, back, button("Can’t judge", "X", skip, ["x"]), neither, doubts(state.unsure && pair), h("span", { class: "hint" }, "Click here to answer by keys."));
    return [state.scale.length ? rates(state) : "", h("div", { class: "answers" }, main), more, Object.keys(state.hints).length ? hints(state.hints) : ""].filter(Boolean);
  }

  function draw() {
    const state = model.get("state");
    const focused = root.contains(root.ownerDocument.activeElement) || root.getRootNode().activeElement === root;
    keys = new Map();
    const { question } = state;
    const candidates = question ? question.candidates : [state.best].filter(Boolean);
    const asks = question ? question.asks : `${state.finished} ${state.best ? "The best so far:" : ""}`;
    root.replaceChildren(
      h("p", { class: "asks" }, asks, h("span", { class: "count" }, `${state.answers} of ${state.expected}`)),
      ...shownOf(candidates, fail).filter(Boolean),
      ...dock(state),
      h("p", { class: "news", role: "status" }, [state.message, question?.note].filter(Boolean).join(" ")),
    );
    root.dataset.step = question ? question.step : "";
    root.dataset.serial = state.serial;
    if (focused) root.focus({ preventScroll: true });
  }

  function changed() {
    const step = model.get("state").question?.step ?? null;
    waiting = false;
    root.removeAttribute("aria-busy");
    if (step === null || step !== shown.step) {
      [picked, beside] = [[], { note: "", sure: true }];
      shown = { step, at: performance.now(), id: id() };
    }
    draw();
  }

  model.on("change:state", changed);
  changed();
  return () => model.off("change:state", changed);
}

export default { render };
