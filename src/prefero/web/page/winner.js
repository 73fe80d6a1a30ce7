// One candidate by itself: its picture, film, sound, curve, page or text, in a frame of its own or as a thumbnail.

import { button, h, icon } from "./dom.js";
import { kindOf, showable } from "./media.js";
import { columns, plotted } from "./plot.js";
import { t } from "./texts.js";

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
  fetched(url).then((text) => {
    const numbers = columns(text);
    place.replaceChildren(numbers ? plotted({ a: numbers, b: numbers, one: numbers }, ["one"], label) : read(url, label));
  });
  return place;
}

function read(url, label) {
  const place = h("pre", { dir: "auto", tabindex: "0", role: "region", "aria-label": label });
  fetched(url).then((text) => (place.textContent = text));
  return place;
}

const fetched = (url) => fetch(url).then((reply) => (reply.ok ? reply.text() : ""), () => "");

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
