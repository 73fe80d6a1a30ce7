// Shows candidates: images, sound, video, HTML, plots. `media` shows two and resolves once both are decoded; `winner` shows one by
// itself, in a frame of its own, and `thumbnail` a small likeness.

import { button, h, icon } from "./dom.js";
import { badge } from "./parameters.js";
import { columns, plotted } from "./plot.js";
import { clock, described, t } from "./words.js";

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

// One pointer drags, two pinch. A gesture that moved is no tap: it chooses nothing.
function gestures(node, { drag, pinch }) {
  const held = new Map();
  let [moved, from] = [0, null];
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
    if (held.size === 1) return void drag(dx, dy);
    const now = apart();
    pinch(now / from, before);
    from = now;
  });
  for (const over of ["pointerup", "pointercancel"]) node.addEventListener(over, (event) => held.delete(event.pointerId));
  node.addEventListener("click", (event) => moved >= STILL && event.stopPropagation(), true);
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
