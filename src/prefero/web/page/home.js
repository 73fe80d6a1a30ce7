// The list of studies: the server writes it, and this adds a likeness of what is best in each.

import { study } from "./api.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { thumbnail } from "./winner.js";

const MOST = 24; // studies that are asked for what is best

for (const card of [...document.querySelectorAll(".study")].slice(0, MOST)) await likeness(card);

async function likeness(card) {
  const api = study(card.dataset.name);
  const { best, files } = await api.result().catch(() => ({ best: null }));
  if (!best) return;
  const small = Object.keys(files).length ? thumbnail(files, api, `Best so far in ${card.dataset.name}`) : null;
  const values = Object.entries(best).map(([name, value]) => `${name} ${typeof value === "number" ? Number(value.toPrecision(3)) : value}`);
  const shown = small && small.localName !== "button" ? small : small ? icon("sound") : h("span", { class: "values", dir: "auto" }, values.join(" · "));
  card.querySelector(".view").replaceChildren(shown, h("span", { class: "chip best" }, icon("star"), "Best so far"));
}
