// Shows candidates: images, sound, video, HTML, plots. `media` shows two and resolves once both are decoded; `winner` shows one by
// itself, in a frame of its own, and `thumbnail` a small likeness.

import { button, h, icon, s } from "./dom.js";
import { badge } from "./parameters.js";
import { clock, described, shown, t } from "./words.js";

const KINDS = [
  ["image", /^image\//],
  ["video", /^video\//],
  ["audio", /^audio\//],
  ["html", /^text\/html/],
  ["csv", /^text\/csv/],
  ["markdown", /^text\/markdown/],
  ["text", /^text\/plain/],
];

export const kindOf = (file) => KINDS.find(([, pattern]) => pattern.test(file?.media_type ?? ""))?.[0] ?? null;

// The names of the files that can be shown, images before text.
export function showable(...measured) {
  const files = Object.assign({}, ...measured);
  const order = (name) => KINDS.findIndex(([kind]) => kind === kindOf(files[name]));
  return Object.keys(files).filter((name) => kindOf(files[name])).sort((x, y) => order(x) - order(y));
}

export class Broken extends Error {
  constructor(side, why, verb = "shown") {
    const said = { side: side.toUpperCase(), why: why.replace(/\.$/, "") };
    super(verb === "shown" ? t("Candidate {side} could not be shown: {why}", said) : t("Candidate {side} could not be prepared: {why}", said));
    Object.assign(this, { side, verb });
  }
}

const MAKERS = { image: images, video: films, audio: sounds, html: pages, markdown: rendered, csv: tables, text: texts };

export async function media(question, name, urlOf, valued, hidden) {
  const file = (side) => question.measured[side].files[name];
  const kind = kindOf(file("a"));
  if (kindOf(file("b")) !== kind) throw new Broken("b", t("A is {a}, B is {b}", { a: file("a").media_type, b: file("b").media_type }));
  const label = (side) => described(side, question[side], valued, hidden);
  return MAKERS[kind]({ a: urlOf(file("a").digest), b: urlOf(file("b").digest) }, label);
}

export function panes(nodes, kind) {
  const each = ["a", "b"].map((side) => h("figure", { class: `pane of-${side}` }, h("div", { class: kind === "waiting" ? "frame waits" : "frame" }, nodes[side]), h("figcaption", {}, badge(side))));
  return h("div", { class: `panes ${kind}` }, h("div", { class: "sides" }, each));
}

const both = async (make) => {
  const [a, b] = await Promise.all([make("a"), make("b")]);
  return { a, b };
};

// Side by side or stacked, whichever shows more pixels of something of this shape.
export function arranged(node, ratio) {
  node.style.setProperty("--ratio", ratio);
  const arrange = () => {
    const [width, height] = [node.clientWidth, node.clientHeight];
    if (!width || !height) return;
    const beside = Math.min((width - 16) / 2 / ratio, height - 52);
    const stacked = Math.min(width / ratio, height / 2 - 39);
    node.dataset.layout = beside >= stacked ? "beside" : "stacked";
  };
  new ResizeObserver(arrange).observe(node);
  return node;
}

// Images -------------------------------------------------------------------------------------------------------------

async function images(url, label) {
  const nodes = await both(async (side) => {
    const image = h("img", { src: url[side], alt: label(side), draggable: "false" });
    await image.decode().catch(() => {
      throw new Broken(side, t("the image cannot be decoded"));
    });
    return image;
  });
  const stage = arranged(panes(nodes, "images"), nodes.a.naturalWidth / Math.max(1, nodes.a.naturalHeight));
  const divider = h("input", { type: "range", min: 0, max: 100, value: 50, class: "divider", "aria-label": t("Divider between A and B"), hidden: true });
  divider.addEventListener("input", () => stage.style.setProperty("--split", `${divider.value}%`));
  stage.firstChild.append(divider);
  let [zoom, x, y] = [1, 0, 0];
  const place = () => {
    for (const side of ["a", "b"]) nodes[side].style.transform = `translate(${x}px, ${y}px) scale(${zoom})`;
  };
  const fit = () => {
    [zoom, x, y] = [1, 0, 0];
    place();
  };
  const full = () => {
    const image = nodes.a;
    const fitted = Math.min(image.clientWidth / image.naturalWidth, image.clientHeight / image.naturalHeight);
    [zoom, x, y] = [1 / fitted / devicePixelRatio, 0, 0];
    place();
  };
  // Zooms about a point of the window, so that what is there stays there.
  const zoomTo = (next, at) => {
    const own = at.target.closest?.(".frame")?.getBoundingClientRect() ?? nodes.a.parentElement.getBoundingClientRect();
    const [cx, cy] = [at.clientX - own.left - own.width / 2, at.clientY - own.top - own.height / 2];
    const within = Math.max(1, Math.min(40, next));
    [x, y] = within === 1 ? [0, 0] : [cx - ((cx - x) * within) / zoom, cy - ((cy - y) * within) / zoom];
    zoom = within;
    place();
  };
  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoomTo(zoom * Math.exp(-event.deltaY / 400), event);
  }, { passive: false });
  gestures(stage, {
    drag: (dx, dy) => {
      if (zoom <= 1) return;
      [x, y] = [x + dx, y + dy];
      place();
    },
    pinch: (factor, at) => zoomTo(zoom * factor, at),
    twice: (at) => zoomTo(zoom > 1 ? 1 : CLOSER, at),
  });
  const view = () => {
    const split = stage.dataset.view !== "split";
    stage.dataset.view = split ? "split" : "beside";
    divider.hidden = !split;
    return split ? t("A and B in one frame, with a divider") : t("A beside B");
  };
  const actions = { view, fit, flicker: (on) => stage.toggleAttribute("data-flicker", on) };
  const tools = [button([icon("split"), t("Split")], view, { "aria-label": t("Split: both in one frame, or beside each other") }), button([icon("fit"), t("Fit")], fit), button([icon("full"), "1:1"], full, { class: "full" })];
  return { node: stage, actions, tools };
}

const STILL = 6; // px that a finger may move in a tap
const TWICE = 250; // ms between two taps that zoom; a single one counts after them
const CLOSER = 2.5; // times, after two taps

// One pointer drags, two pinch, two taps of a finger zoom. A gesture that moved is no tap: it chooses nothing.
export function gestures(node, { drag, pinch, twice }) {
  const held = new Map();
  let [moved, from, single] = [0, null, null];
  const apart = () => {
    const [one, two] = [...held.values()];
    return Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY);
  };
  node.addEventListener("pointerdown", (event) => {
    if (event.target.matches("input")) return;
    if (!held.size) moved = 0;
    held.set(event.pointerId, event);
    from = held.size === 2 ? apart() : null;
  });
  node.addEventListener("pointermove", (event) => {
    const before = held.get(event.pointerId);
    if (!before) return;
    const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
    moved += Math.hypot(dx, dy);
    if (moved < STILL) return;
    held.set(event.pointerId, event);
    if (!node.hasPointerCapture(event.pointerId)) node.setPointerCapture(event.pointerId);
    if (held.size === 1 || !pinch) return void drag(dx, dy, event);
    const now = apart();
    pinch(now / from, before);
    from = now;
  });
  for (const over of ["pointerup", "pointercancel"]) node.addEventListener(over, (event) => held.delete(event.pointerId));
  node.addEventListener("click", (event) => {
    const touched = twice && event.pointerType === "touch";
    if (event.detail && (moved >= STILL || touched)) event.stopPropagation();
    if (!touched || moved >= STILL) return;
    const second = single;
    clearTimeout(single);
    single = second ? null : setTimeout(() => {
      single = null;
      event.target.click();
    }, TWICE);
    if (second) twice(event);
  }, true);
}

// Sound and video ------------------------------------------------------------------------------------------------------

// A player that is ready to play and knows how long it is; a recording may only know when it was sought through.
async function loaded(side, node, event) {
  const heard = (name) =>
    new Promise((done, failed) => {
      node.addEventListener(name, done, { once: true });
      node.addEventListener("error", () => failed(new Broken(side, node.localName === "video" ? t("the film cannot be decoded") : t("the sound cannot be decoded"))), { once: true });
    });
  await heard(event);
  if (node.duration === Infinity) {
    node.currentTime = 1e9;
    await heard("durationchange");
    node.currentTime = 0;
    await heard("seeked");
  }
  return node;
}

// One transport for two players: they start, stop and seek together.
function transport(players) {
  const all = [players.a, players.b];
  const length = Math.max(...all.map((player) => player.duration || 0));
  const seek = h("input", { type: "range", min: 0, max: length, step: "any", value: 0, class: "seek", "aria-label": t("Position") });
  const time = h("span", { class: "time" });
  const play = button([icon("play"), t("Play")], () => toggle(), { class: "play" });
  const toggle = () => {
    const start = players.a.paused;
    for (const player of all) {
      if (!start) player.pause();
      else {
        player.currentTime = seek.value >= length ? 0 : seek.value;
        player.play().catch(() => player.pause());
      }
    }
  };
  const told = () => {
    const now = players.a.currentTime;
    if (Math.abs(players.b.currentTime - now) > 0.08 && !players.a.paused && now < players.b.duration) players.b.currentTime = now;
    seek.value = now;
    seek.setAttribute("aria-valuetext", t("{now} of {length}", { now: clock(now), length: clock(length) }));
    time.textContent = `${clock(now)} / ${clock(length)}`;
    play.replaceChildren(...(players.a.paused ? [icon("play"), t("Play")] : [icon("pause"), t("Pause")]));
  };
  seek.addEventListener("input", () => all.forEach((player) => (player.currentTime = Math.min(seek.value, player.duration))));
  for (const event of ["timeupdate", "play", "pause", "ended", "seeked"]) players.a.addEventListener(event, told);
  told();
  const stop = () => all.forEach((player) => player.pause());
  return { node: h("div", { class: "transport" }, play, seek, time), toggle, stop };
}

async function films(url, label) {
  const nodes = await both((side) => {
    const film = h("video", { preload: "auto", playsinline: true, "aria-label": label(side), loop: true });
    film.muted = true;
    film.src = url[side];
    return loaded(side, film, "loadeddata");
  });
  const controls = transport(nodes);
  const stage = arranged(panes(nodes, "films"), nodes.a.videoWidth / Math.max(1, nodes.a.videoHeight));
  return { node: h("div", { class: "with-transport" }, stage, controls.node), actions: { play: controls.toggle }, leave: controls.stop };
}

async function sounds(url, label) {
  const nodes = await both((side) => {
    const sound = h("audio", { preload: "auto" });
    sound.src = url[side];
    return loaded(side, sound, "canplaythrough");
  });
  const controls = transport(nodes);
  const choices = { a: null, b: null };
  const hear = (side) => {
    for (const each of ["a", "b"]) {
      nodes[each].muted = each !== side;
      choices[each].setAttribute("aria-pressed", String(each === side));
    }
    return t("You hear {side}", { side: side.toUpperCase() });
  };
  for (const side of ["a", "b"]) {
    choices[side] = button([icon("sound"), t("Hear {side}", { side: side.toUpperCase() })], () => hear(side), { class: `hear of-${side}`, "aria-label": `${t("Hear {side}", { side: side.toUpperCase() })}. ${label(side)}` });
  }
  hear("a");
  const actions = { play: controls.toggle, other: () => hear(nodes.a.muted ? "a" : "b") };
  return { node: h("div", { class: "sounds" }, h("div", { class: "choices" }, choices.a, choices.b), controls.node, nodes.a, nodes.b), actions, leave: controls.stop };
}

// Pages, text and numbers ------------------------------------------------------------------------------------------------

async function pages(url, label) {
  const nodes = await both((side) => h("iframe", { sandbox: "", src: url[side], title: label(side) }));
  return { node: arranged(panes(nodes, "pages"), 1), actions: {} };
}

function rendered(url, label) {
  const paged = (side) => `${url[side]}${url[side].includes("?") ? "&" : "?"}as=page`;
  return pages({ a: paged("a"), b: paged("b") }, label);
}

const fetched = (url) =>
  both(async (side) => {
    const reply = await fetch(url[side]).catch(() => null);
    if (!reply?.ok) throw new Broken(side, t("its file did not arrive"));
    return reply.text();
  });

async function texts(url, label) {
  return { node: written(await fetched(url), label), actions: {} };
}

function written(text, label) {
  const pre = (side) => h("pre", { dir: "auto", tabindex: "0", role: "region", "aria-label": label(side) }, text[side]);
  return arranged(panes({ a: pre("a"), b: pre("b") }, "texts"), 1);
}

async function tables(url, label) {
  const text = await fetched(url);
  const numbers = { a: columns(text.a), b: columns(text.b) };
  const same = numbers.a && numbers.b && numbers.a.names.length === numbers.b.names.length;
  if (!same) return { node: written(text, label), actions: {} };
  const place = h("div", { class: "plots" });
  const view = () => {
    const together = place.dataset.view !== "together";
    place.dataset.view = together ? "together" : "beside";
    if (together) place.replaceChildren(plotted(numbers, "ab", `${label("a")}. ${label("b")}`));
    else place.replaceChildren(arranged(panes({ a: plotted(numbers, "a", label("a")), b: plotted(numbers, "b", label("b")) }, "curves"), 1.5));
    return together ? t("A and B on common axes") : t("A beside B");
  };
  view();
  return { node: place, actions: { view }, tools: [button([icon("split"), t("View")], view, { "aria-label": t("View: both on common axes, or beside each other") })] };
}

// Numbers as a plot: a CSV whose first column is the horizontal axis; both candidates on common axes, A solid, B dashed --------

const MOST_PANELS = 4;
const ROOM = { left: 52, right: 12, top: 22, bottom: 34 };

// The columns of a CSV by name; null where it is not numbers.
function columns(text) {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "").map((line) => line.split(/[,;\t]/).map((cell) => cell.trim()));
  if (lines.length < 2) return null;
  const headed = lines[0].some((cell) => cell === "" || Number.isNaN(Number(cell)));
  const names = headed ? lines[0] : lines[0].map((_, k) => (k ? `y${k}` : "x"));
  const rows = (headed ? lines.slice(1) : lines).map((cells) => cells.map((cell) => (cell === "" ? NaN : Number(cell))));
  const whole = rows.length > 1 && names.length > 1 && rows.every((row) => row.length === names.length);
  if (!whole || rows.some((row) => Number.isNaN(row[0]))) return null;
  return { names, rows };
}

// The two files as one plot that fills its place, or each in its own; `sides` names what is drawn, "a", "b", or "ab".
function plotted(both, sides, label) {
  const place = h("div", { class: "plot", role: "img", "aria-label": label });
  const draw = () => place.clientWidth && place.replaceChildren(drawing(both, sides, place.clientWidth, place.clientHeight));
  new ResizeObserver(draw).observe(place);
  return place;
}

function drawing(both, sides, width, height) {
  const names = both.a.names.slice(1, 1 + MOST_PANELS);
  const each = height / names.length;
  const xs = extent(["a", "b"].flatMap((side) => both[side].rows.map((row) => row[0])));
  const panels = names.map((name, k) => panel(both, sides, name, k + 1, xs, width, each, k * each));
  return s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, panels);
}

function panel(both, sides, name, column, xs, width, height, top) {
  const ys = extent(["a", "b"].flatMap((side) => both[side].rows.map((row) => row[column])));
  const right = width - ROOM.right;
  const bottom = height - ROOM.bottom;
  const X = scale(xs, ROOM.left, right);
  const Y = scale(ys, bottom, ROOM.top);
  const grid = [
    ticks(ys, Math.max(2, Math.floor(height / 60))).map((y) => [
      s("line", { class: "grid", x1: ROOM.left, x2: right, y1: Y(y), y2: Y(y) }),
      s("text", { x: ROOM.left - 6, y: Y(y) + 4, "text-anchor": "end" }, shown(y)),
    ]),
    ticks(xs, Math.max(2, Math.floor(width / 110))).map((x) => [
      s("line", { class: "grid", x1: X(x), x2: X(x), y1: ROOM.top, y2: bottom }),
      s("text", { x: X(x), y: bottom + 16, "text-anchor": "middle" }, shown(x)),
    ]),
    s("text", { class: "name", x: ROOM.left, y: 14 }, name),
    s("text", { class: "name", x: right, y: bottom + 31, "text-anchor": "end" }, both.a.names[0]),
  ];
  const curves = [...sides].map((side) => s("path", { class: `curve ${side}`, d: path(both[side].rows, column, X, Y) }));
  const legend = sides.length > 1 && [...sides].map((side, k) => {
    const x = right - 56 * (sides.length - k);
    return [s("line", { class: `curve ${side}`, x1: x, x2: x + 28, y1: 10, y2: 10 }), s("text", { class: `legend ${side}`, x: x + 34, y: 14 }, side.toUpperCase())];
  });
  return s("g", { transform: `translate(0 ${top})` }, grid, curves, legend);
}

function path(rows, column, X, Y) {
  let pen = "M";
  let d = "";
  for (const row of rows) {
    if (Number.isNaN(row[column])) pen = "M";
    else {
      d += `${pen}${X(row[0]).toFixed(1)} ${Y(row[column]).toFixed(1)}`;
      pen = "L";
    }
  }
  return d;
}

function extent(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  return high > low ? [low, high] : [low - 1, high + 1];
}

const scale = ([low, high], from, to) => (value) => from + ((value - low) / (high - low)) * (to - from);

function ticks([low, high], about) {
  const rough = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => power * factor >= rough * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high + step * 1e-9; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

// One candidate by itself -----------------------------------------------------------------------------------------------------

const WIDE = { image: pictured, video: filmed, audio: heard, csv: drawn, html: framed, markdown: framed, text: read };

// The file that stands for a candidate, as a node; null if it has none that can be shown.
export function winner(files, api, label) {
  const [name] = showable(files);
  if (name === undefined) return null;
  const kind = kindOf(files[name]);
  const url = api.file(files[name].digest);
  return h("div", { class: `winner ${kind}` }, WIDE[kind](url, label, kind));
}

function pictured(url, label) {
  return h("img", { src: url, alt: label });
}

function filmed(url, label) {
  return h("video", { src: url, controls: true, muted: true, loop: true, playsinline: true, "aria-label": label });
}

function heard(url, label) {
  return [h("span", { class: "art" }, icon("sound")), h("audio", { src: url, controls: true, preload: "metadata", "aria-label": label })];
}

function framed(url, label, kind) {
  const page = kind === "markdown" ? `${url}${url.includes("?") ? "&" : "?"}as=page` : url;
  return h("iframe", { sandbox: "", src: page, title: label });
}

// A curve when its file has come, and its text if it is not numbers.
function drawn(url, label) {
  const place = h("div", { class: "curves" });
  arrived(url).then((text) => {
    const numbers = columns(text);
    place.replaceChildren(numbers ? plotted({ a: numbers, b: numbers, one: numbers }, ["one"], label) : read(url, label));
  });
  return place;
}

function read(url, label) {
  const place = h("pre", { dir: "auto", tabindex: "0", role: "region", "aria-label": label });
  arrived(url).then((text) => (place.textContent = text));
  return place;
}

const arrived = (url) => fetch(url).then((reply) => (reply.ok ? reply.text() : ""), () => "");

// A small likeness: a picture, a button that plays a sound, or a curve; null for anything else.
export function thumbnail(files, api, label) {
  const name = showable(files).find((each) => ["image", "audio", "csv", "video"].includes(kindOf(files[each])));
  if (name === undefined) return null;
  const kind = kindOf(files[name]);
  const url = api.file(files[name].digest);
  if (kind === "image") return h("img", { src: url, alt: label, loading: "lazy" });
  if (kind === "csv") return h("span", { class: "likeness" }, drawn(url, label));
  if (kind === "video") return h("video", { src: url, muted: true, preload: "metadata", "aria-label": label });
  return player(url, label);
}

let playing = null; // one sound at a time

function player(url, label) {
  const sound = new Audio();
  const told = () => toggle.replaceChildren(icon(sound.paused ? "play" : "pause"), sound.paused ? t("Play") : t("Pause"));
  const toggle = button("", () => {
    if (!sound.src) sound.src = url;
    if (playing !== sound) playing?.pause();
    playing = sound;
    if (sound.paused) sound.play().catch(() => undefined);
    else sound.pause();
  }, { "aria-label": t("Play or pause: {what}", { what: label }) });
  for (const event of ["play", "pause", "ended"]) sound.addEventListener(event, told);
  told();
  return toggle;
}

export const silence = () => playing?.pause();
