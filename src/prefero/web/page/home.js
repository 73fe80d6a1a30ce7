// The list of studies: the server writes it. This adds what is best in each, the search, and archiving and deleting with undo.

import { study } from "./api.js";
import { button, find, h, icon, say } from "./dom.js";
import { thumbnail } from "./media.js";
import { ago, shown, speak, t } from "./words.js";

const MOST = 24; // studies that are asked for what is best
const cards = [...document.querySelectorAll(".study")];

for (const bar of document.querySelectorAll("progress[data-of]")) bar.style.setProperty("--of", bar.dataset.of);
await speak(document.documentElement.lang); // as the server did
for (const time of document.querySelectorAll("time")) time.textContent = ago(time.dateTime);
for (const each of document.querySelectorAll("[data-do]")) each.addEventListener("click", () => put(each.closest(".study"), each.dataset));
document.addEventListener("click", ({ target }) => {
  for (const menu of document.querySelectorAll(".study .menu[open]")) menu.open = menu.contains(target);
});
find("#search")?.addEventListener("input", ({ target }) => {
  const words = target.value.toLowerCase().split(/\s+/);
  for (const card of cards) card.hidden = !words.every((word) => `${card.dataset.name} ${card.textContent}`.toLowerCase().includes(word));
  const found = cards.filter((card) => !card.hidden).length;
  for (const fold of document.querySelectorAll(".put-away")) fold.open = target.value && fold.querySelector(".study:not([hidden])");
  find("#found").textContent = target.value ? t("{found} of {count} {count|study|studies}", { found, count: cards.length }) : "";
});

// Does a deed at once, and offers to take it back where the card was.
async function put(card, { do: what, to, done }) {
  for (const menu of card.querySelectorAll(".menu")) menu.open = false;
  const [api, before, called] = [study(card.dataset.name), [...card.childNodes], card.dataset.called];
  try {
    await api.change({ [what]: Boolean(to) });
  } catch (error) {
    say(t("Not changed: {why}.", { why: error.message }));
    return;
  }
  const undo = button([icon("undo"), t("Undo")], async () => {
    try {
      await api.change({ [what]: !to });
    } catch (error) {
      say(t("Not undone: {why}.", { why: error.message }));
      return;
    }
    card.replaceChildren(...before);
    card.querySelector("a, button")?.focus();
    say(t("{name} is as it was.", { name: called }));
  });
  const open = !to && h("a", { class: "button", href: `/studies/${encodeURIComponent(card.dataset.name)}` }, t("Open"));
  card.replaceChildren(h("p", { dir: "auto" }, done), h("p", { class: "row" }, undo, open));
  undo.focus();
  say(done);
}

for (const card of cards.filter((each) => each.querySelector(".view")).slice(0, MOST)) await likeness(card);

async function likeness(card) {
  const api = study(card.dataset.name);
  const [{ best, files }, { judges }] = await Promise.all([api.result(), api.look()]).catch(() => [{}, {}]);
  if (judges?.length) card.querySelector(".judges-of").textContent = judges.length > 1 ? t("{count} {count|judge|judges}", { count: judges.length }) : judges[0] || t("Just you");
  if (!best) return;
  const small = Object.keys(files).length ? thumbnail(files, api, t("Best so far in {name}", { name: card.dataset.called })) : null;
  const values = Object.entries(best).map(([name, value]) => `${name} ${shown(value, 3)}`);
  const view = small && small.localName !== "button" ? small : small ? icon("sound") : h("span", { class: "values", dir: "auto" }, values.join(" · "));
  card.querySelector(".view").replaceChildren(view, h("span", { class: "chip best" }, icon("star"), t("Best so far")));
}
