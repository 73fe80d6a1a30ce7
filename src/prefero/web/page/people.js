// The screen People, for the owner: judges and what they do, links, settings, and putting the study away. Its frame is people.html.

import { code, revoke, token, tokens } from "./api.js";
import { button, h, icon, kept, s, say } from "./dom.js";
import { kindOf } from "./media.js";
import { ago, day, language, said, t } from "./words.js";

const FEED = 6; // answers
const EARLY = 10; // answers of a judge before it is said how steady they are
const WAVERS = 0.1; // the share of answers that fit no others

export async function people({ api, study, reload }) {
  const text = await (await fetch(new URL(`people.html?${language}`, import.meta.url))).text();
  const node = document.adoptNode(new DOMParser().parseFromString(text, "text/html").body.firstElementChild);
  const at = (name) => node.querySelector(`[data-${name}]`);
  const input = (id) => node.querySelector(`#${id}`);
  const on = (name, work) => at(name).addEventListener("submit", (event) => {
    event.preventDefault();
    work();
  });
  // Does what the owner asks for, and says how it went.
  const change = (body, done, where = null) => api.change(body).then(async () => {
    await reload();
    say(done);
  }, (error) => {
    if (where) where.textContent = `${error.message}.`;
    else notDone(error);
  });

  // What judges do ---------------------------------------------------------------------------------------------------

  async function look() {
    const entries = (await api.history().catch(() => ({ history: [] }))).history.filter(({ status, step }) => status === "effective" && step >= 0);
    const found = new Map();
    for (const { who, time, contradicts } of entries) {
      const { count = 0, odd = 0 } = found.get(who) ?? {};
      found.set(who, { count: count + 1, odd: odd + contradicts, time });
    }
    const most = study.quota ?? Math.max(study.expected / (found.size || 1), ...[...found.values()].map(({ count }) => count));
    const judges = [...found].sort(([, x], [, y]) => y.count - x.count).map(([who, { count, odd, time }]) => {
      const steady = count < EARLY ? ["", t("Too early to say")] : odd <= WAVERS * count ? [" best", t("Steady")] : [" warn", t("Changes often")];
      const values = { count, quota: study.quota, ago: ago(time) };
      const given = study.quota ? t("{count} of {quota} {quota|answer|answers}, the last {ago}", values) : t("{count} {count|answer|answers}, the last {ago}", values);
      return line(who || t("You"), given, h("span", { class: `chip${steady[0]}`, title: t("{odd} of {count} {count|answer fits|answers fit} no others", { odd, count }) }, steady[1]), h("progress", { max: most, value: Math.min(count, most), "aria-label": who ? t("Answers of {who}", { who }) : t("Your answers") }));
    });
    fill("judges", judges, t("There are no answers yet."));
    fill("feed", entries.slice(-FEED).toReversed().map((entry) => h("li", {}, h("span", { class: "duo" }, ["a", "b"].map((side) => small(entry.files[side], entry.answer === side))), h("span", {}, h("b", { dir: "auto" }, entry.who || t("You")), `: ${said(entry.answer)} `, h("span", { class: "quiet" }, ago(entry.time))))), t("Nothing yet. Answers appear here as they come."));
  }
  const fill = (name, items, otherwise) => at(name).replaceChildren(...(items.length ? items : [h("li", { class: "quiet" }, otherwise)]));
  const small = (files, chosen) => {
    const picture = Object.values(files).find((each) => kindOf(each) === "image");
    return picture && h("img", { src: api.file(picture.digest), alt: "", class: chosen ? "chosen" : "" });
  };

  // Links --------------------------------------------------------------------------------------------------------------

  async function list() {
    const [{ invitations }, { tokens: all }] = await Promise.all([api.invitations(), tokens()]);
    const held = all.filter(({ role, study: of, revoked, id }) => role !== "owner" && of === study.name && !revoked && id);
    fill("links", [
      ...invitations.map((each) => line(each.judge, t("invited, until {day}", { day: day(each.expires) }), takeBack(each.judge, () => api.uninvite(each.id)))),
      ...held.map((each) => line(each.label, [each.role === "viewer" ? t("may look") : t("signed in"), each.expires && until(each)].filter(Boolean).join(", "), takeBack(each.label, () => revoke(each.id)))),
    ], t("Nobody yet. Invite somebody above."));
  }
  const takeBack = (name, work) => twice(t("Take back"), t("Take back for good"), async () => {
    await work();
    say(t("{name} can no longer get in. The answers given are kept.", { name }));
    await list();
  });

  async function invite() {
    const [name, error] = [input("judge"), input("judge-error")];
    const [who, inviter, hours] = [name.value.trim(), input("inviter").value.trim(), 24 * Number(input("days").value)];
    error.textContent = who ? "" : t("Say who it is for: their answers carry the name.");
    if (!who) return name.focus();
    kept.set("inviter", inviter);
    try {
      const viewer = input("may").value === "viewer";
      const made = viewer ? await token({ role: "viewer", study: study.name, label: who, hours }) : await api.invite({ judge: who, hours, inviter });
      const url = location.origin + location.pathname.split("/studies/")[0] + (made.path ?? `/enter?token=${made.token}`);
      const field = h("input", { type: "text", readonly: true, value: url, "aria-label": t("Link for {who}", { who }), onfocus: () => field.select() });
      const drawn = h("div", { class: "code-of" });
      at("made").prepend(h("li", {}, h("b", { dir: "auto" }, who), field, button([icon("copy"), t("Copy")], () => copy(field, who), { "aria-label": t("Copy the link for {who}", { who }) }), button(t("QR code"), () => draw(drawn, url, who), { "aria-label": t("QR code for {who}", { who }) }), h("span", { class: "quiet" }, until(made)), drawn));
      name.value = "";
      say(t("A link for {who}. It is shown only now.", { who }));
      await list();
    } catch (refused) {
      error.textContent = `${refused.message}.`;
    }
    return undefined;
  }

  // Settings -----------------------------------------------------------------------------------------------------------

  const { variables = [] } = study.space;
  const ranges = variables.filter((each) => "low" in each).map((each) => {
    const [low, high] = ["low", "high"].map((end) => h("input", { type: "text", inputmode: "decimal", value: each[end], "aria-label": end === "low" ? t("{name}, from", each) : t("{name}, to", each) }));
    at("bounds").append(h("b", { dir: "auto" }, each.name, each.unit && ` (${each.unit})`), low, high);
    return { ...each, ends: () => ({ low: Number(low.value.replace(",", ".")), high: Number(high.value.replace(",", ".")) }) };
  });
  const fields = { title: study.title || study.name, question: study.question, expected: study.expected, quota: study.quota ?? "", inviter: kept.get("inviter", "") };
  for (const [id, value] of Object.entries(fields)) input(id).value = value;

  function edit() {
    const body = { title: input("title").value.trim(), question: input("question").value.trim(), comparisons: Number(input("expected").value) };
    const changed = ranges.map(({ ends, ...each }) => ({ ...each, ...ends() })).filter((each) => variables.some(({ name, low, high }) => name === each.name && (low !== each.low || high !== each.high)));
    if (changed.length) body.variables = changed;
    if (body.title === study.name && !study.title) delete body.title;
    return change(body, t("Saved."), at("wrong"));
  }

  on("invite", invite);
  on("edit", edit);
  on("quota", () => change({ quota: input("quota").value.trim() ? Number(input("quota").value) : null }, t("Saved."), input("quota-error")));
  at("pause").textContent = study.paused ? t("Go on") : t("Pause");
  at("state").textContent = study.paused ? t("Paused: nobody is asked") : t("Live");
  at("state").classList.add(study.paused ? "warn" : "live");
  at("pause").addEventListener("click", () => change({ paused: !study.paused }, study.paused ? t("People are asked again.") : t("Paused. What people are looking at can still be answered.")));
  at("go").addEventListener("click", () => input("judge").focus());
  for (const each of node.querySelectorAll("[data-file]")) each.href = api.download(each.dataset.file);
  for (const each of node.querySelectorAll("[data-away]")) each.addEventListener("click", () => api.change({ [each.dataset.away]: true }).then(() => {
    location.assign(`${location.pathname.split("/studies/")[0]}/#${encodeURIComponent(study.name)}`);
  }, notDone));
  await Promise.all([look(), list()]);
  return { node, title: study.title || study.name, changed: look };
}

const notDone = (error) => say(t("Not done: {why}.", { why: error.message }));
const until = ({ expires }) => t("until {day}", { day: day(expires) });
const line = (name, words, ...more) => h("li", {}, h("b", { dir: "auto" }, name), h("span", { class: "quiet" }, words), more);

// A button that has to be pressed twice.
function twice(first, then, work) {
  const made = button(first, async () => {
    if (made.textContent === first) {
      made.textContent = then;
      made.classList.add("bad");
      return;
    }
    made.disabled = true;
    try {
      await work();
    } catch (error) {
      notDone(error);
      made.disabled = false;
    }
  });
  made.addEventListener("blur", () => {
    made.textContent = first;
    made.classList.remove("bad");
  });
  return made;
}

async function copy(field, name) {
  try {
    await navigator.clipboard.writeText(field.value);
    say(t("Copied the link for {name}.", { name }));
  } catch {
    field.select();
    say(t("The browser did not allow copying. The link is selected."));
  }
}

async function draw(place, url, name) {
  if (place.firstChild) return place.replaceChildren();
  const { size, path } = await code(url);
  return place.replaceChildren(s("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": t("QR code of the link for {name}", { name }) }, s("path", { d: path })));
}
