// The list of studies: the server writes it. This adds what is best in each, the search, and archiving and deleting with undo.

import { study } from "./api.js";
import { button, find, h, icon, say } from "./dom.js";
import { ago } from "./upload.js";
import { thumbnail } from "./winner.js";

const MOST = 24; // studies that are asked for what is best
const DEEDS = {
  archive: [{ archived: true }, { archived: false }, "is in the archive."],
  restore: [{ archived: false }, { archived: true }, "is out of the archive."],
  delete: [{ deleted: true }, { deleted: false }, "is deleted. It is kept for thirty days."],
  undelete: [{ deleted: false }, { deleted: true }, "is back."],
};
const cards = [...document.querySelectorAll(".study")];

for (const bar of document.querySelectorAll("progress[data-of]")) bar.style.setProperty("--of", bar.dataset.of);
for (const time of document.querySelectorAll("time")) time.textContent = ago(time.dateTime);
for (const each of document.querySelectorAll("[data-do]")) each.addEventListener("click", () => put(each.closest(".study"), each.dataset.do));
document.addEventListener("click", ({ target }) => {
  for (const menu of document.querySelectorAll(".study .menu[open]")) menu.open = menu.contains(target);
});
find("#search")?.addEventListener("input", ({ target }) => {
  const words = target.value.toLowerCase().split(/\s+/);
  for (const card of cards) card.hidden = !words.every((word) => `${card.dataset.name} ${card.textContent}`.toLowerCase().includes(word));
  const found = cards.filter((card) => !card.hidden).length;
  for (const fold of document.querySelectorAll(".put-away")) fold.open = Boolean(target.value) && Boolean(fold.querySelector(".study:not([hidden])"));
  say(target.value ? `${found} of ${cards.length} studies` : "");
});

// Does a deed at once, and offers to take it back where the card was.
async function put(card, deed) {
  const [change, back, done] = DEEDS[deed];
  for (const menu of card.querySelectorAll(".menu")) menu.open = false;
  const [api, before, called] = [study(card.dataset.name), [...card.childNodes], card.dataset.called];
  try {
    await api.change(change);
  } catch (error) {
    say(`Nothing was changed: ${error.message}.`);
    return;
  }
  const undo = button([icon("undo"), "Undo"], async () => {
    try {
      await api.change(back);
    } catch (error) {
      say(`That could not be undone: ${error.message}.`);
      return;
    }
    card.replaceChildren(...before);
    card.querySelector("a, button")?.focus();
    say(`${called} is as it was.`);
  });
  const open = deed === "restore" || deed === "undelete" ? h("a", { class: "button", href: `/studies/${encodeURIComponent(card.dataset.name)}` }, "Open") : null;
  card.replaceChildren(h("p", { dir: "auto" }, h("b", {}, called), ` ${done}`), h("p", { class: "row" }, undo, open));
  undo.focus();
  say(`${called} ${done}`);
}

for (const card of cards.filter((each) => each.querySelector(".view")).slice(0, MOST)) await likeness(card);

async function likeness(card) {
  const api = study(card.dataset.name);
  const [{ best, files }, { judges }] = await Promise.all([api.result(), api.look()]).catch(() => [{}, {}]);
  if (judges?.length) card.querySelector(".judges-of").textContent = judges.length > 1 ? `${judges.length} judges` : judges[0] || "Just you";
  if (!best) return;
  const small = Object.keys(files).length ? thumbnail(files, api, `Best so far in ${card.dataset.called}`) : null;
  const values = Object.entries(best).map(([name, value]) => `${name} ${typeof value === "number" ? Number(value.toPrecision(3)) : value}`);
  const shown = small && small.localName !== "button" ? small : small ? icon("sound") : h("span", { class: "values", dir: "auto" }, values.join(" · "));
  card.querySelector(".view").replaceChildren(shown, h("span", { class: "chip best" }, icon("star"), "Best so far"));
}
