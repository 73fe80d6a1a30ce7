// Compare: one pair after the other. The states are those of the page's own words: thinking, preparing, ready, saving,
// offline, broken, finished. An answer is sent with the id of its showing, so that sent again it is the same answer.

import { answerId, Refused } from "./api.js";
import { button, h, kept, say } from "./dom.js";
import { openKeys } from "./keys.js";
import { Broken, media, showable } from "./media.js";
import { parameters } from "./parameters.js";
import { ANSWERS, described, said } from "./words.js";

const QUIET = 250; // ms of a new pair in which nothing is an answer
const DIM = 150;
const TELL = 1_000;
const LONG = 10_000;
const POLL = 1_500;
const ADVICE_FROM = 10; // answers
const ADVICE_EVERY = 5;

export function compare({ api, study, go, progress }) {
  let state = "thinking";
  let current = null; // what the server said last
  let shown = null; // { question, id, at, seconds, view }
  let last = null; // the step answered last in this tab
  let left = false;
  let timers = [];
  let expects = study.files; // names of files that other candidates have
  let chosen = null; // the file that is shown, where there are several

  // The parts of the screen --------------------------------------------------------------------------------------------

  const stage = h("section", { class: "stage", "aria-label": "Candidates" });
  const table = h("div", { class: "beside" });
  const notice = h("p", { class: "notice", hidden: true });
  const answers = Object.fromEntries(["a", "same", "b"].map((key) => [key, button([h("span", {}, ANSWERS[key]), h("kbd", { "aria-hidden": "true" }, { a: "←", same: "↓", b: "→" }[key])], () => answer(key), { class: `answer of-${key}` })]));
  const undo = button("Undo", () => takeBack());
  const skip = button("Can’t judge", () => answer("skipped"));
  const hide = button("Parameters", () => showTable(!kept.get("table", true)), { "aria-pressed": "true" });
  const tools = h("span", { class: "tools" });
  const node = h(
    "div",
    { class: "compare" },
    h("div", { class: "pair" }, stage, table),
    notice,
    h("div", { class: "answers", role: "group", "aria-label": "Your answer" }, answers.a, answers.same, answers.b),
    h("div", { class: "more" }, undo, skip, tools, hide, button("Keys", openKeys)),
  );

  function enter(next) {
    state = next;
    node.dataset.state = next;
    const able = next === "ready" || next === "offline";
    for (const each of Object.values(answers)) each.disabled = !able;
    skip.disabled = !(able || next === "broken" || next === "preparing");
    undo.disabled = next === "saving" || next === "thinking" || !(current?.answers > 0 || last !== null);
    if (next !== "saving") for (const each of [...Object.values(answers), skip]) each.removeAttribute("data-pressed");
  }

  function stopTimers() {
    timers.forEach(clearTimeout);
    timers = [];
    node.removeAttribute("data-dim");
  }

  const later = (ms, work) => timers.push(setTimeout(() => left || work(), ms));

  function tell(text, ...buttons) {
    notice.replaceChildren(h("span", { dir: "auto" }, text), ...buttons);
    notice.hidden = !text;
  }

  function showTable(on) {
    kept.set("table", on);
    hide.setAttribute("aria-pressed", String(on));
    node.toggleAttribute("data-bare", !on);
  }

  // The next pair ------------------------------------------------------------------------------------------------------

  async function next(why = "") {
    stopTimers();
    enter("thinking");
    const began = performance.now();
    later(DIM, () => node.setAttribute("data-dim", ""));
    const count = () => {
      const seconds = (performance.now() - began) / 1000;
      const text = `Choosing the next pair… ${seconds.toFixed(1)} s`;
      if (seconds * 1000 < LONG) tell(text);
      else tell(`${text} The more answers there are, the longer it takes; all of them are saved.`, button("Stop here", () => go("result")));
      later(100, count);
    };
    later(TELL, count);
    try {
      current = await api.question();
    } catch (error) {
      stopTimers();
      return failed(error, () => next(why));
    }
    stopTimers();
    if (left) return undefined;
    progress(current);
    if (!current.question) return finished(current.finished, false);
    if (over()) return finished();
    return show(current.question, why);
  }

  function failed(error, again) {
    if (left) return;
    if (!(error instanceof Refused)) throw error;
    enter("stopped");
    const lost = error.offline ? "No connection; every answer that was saved is kept." : error.message;
    tell(lost, button("Try again", again));
    say(lost);
  }

  async function show(question, why = "") {
    stopTimers();
    shown?.view.leave?.();
    const names = showable(question.measured.a.files, question.measured.b.files, expects ?? {});
    const name = names.includes(chosen) ? chosen : (names[0] ?? null);
    const missing = name === null ? [] : ["a", "b"].filter((side) => !question.measured[side].files[name]);
    const next = { question, id: answerId(), seconds: null, view: { node: null, actions: {} } };
    if (missing.length) return prepare(question, missing, why);
    if (name !== null) {
      enter("preparing");
      later(TELL, () => tell("Loading the candidates…"));
      try {
        next.view = await media(question, name, api.file);
      } catch (error) {
        stopTimers();
        if (!(error instanceof Broken)) throw error;
        return broken(question, error);
      }
      stopTimers();
      if (left) return undefined;
    }
    put(next, names, name);
    next.at = performance.now();
    shown = next;
    tell([why, note(question)].filter(Boolean).join(" "));
    enter("ready");
    if (name === null || !question.measured.a.files[name]) later(POLL, () => poll(question));
    advise();
    return undefined;
  }

  function put({ question, view }, names, name) {
    const large = view.node === null;
    node.dataset.step = question.step;
    node.toggleAttribute("data-large", large);
    const made = parameters(question, study.space, large);
    stage.replaceChildren(large ? made : view.node);
    table.replaceChildren(...(large ? [] : [made]));
    hide.hidden = large;
    const others = names.length > 1 ? [h("select", { "aria-label": "File", onchange: (event) => { chosen = event.target.value; show(question); } }, names.map((each) => h("option", { selected: each === name }, each)))] : [];
    tools.replaceChildren(...others, ...(view.tools ?? []));
  }

  const note = (question) => (question.note ? `This pair is ${question.note}. Your answers are kept.` : "");

  function prepare(question, missing, why) {
    enter("preparing");
    shown = { question, id: answerId(), at: performance.now(), seconds: null, view: { node: null, actions: {} } };
    node.removeAttribute("data-large");
    stage.replaceChildren(h("div", { class: "panes" }, ["a", "b"].map((side) => h("figure", { class: `pane of-${side}` }, h("figcaption", {}, side.toUpperCase()), h("div", { class: "frame waits" }, missing.includes(side) ? `Preparing candidate ${side.toUpperCase()}…` : "Ready")))));
    table.replaceChildren(parameters(question, study.space, false));
    hide.hidden = false;
    tools.replaceChildren();
    const text = `Preparing candidate ${missing.map((side) => side.toUpperCase()).join(" and ")}`;
    say(text);
    tell(why);
    later(POLL, () => poll(question));
    later(LONG, () => tell(`${text}: it takes long.`, button("Compare without it", () => { expects = {}; put(shown, [], null); enter("ready"); tell(note(question)); })));
  }

  // A candidate may become ready, or get more to show, while the person waits or looks.
  async function poll(question) {
    const before = JSON.stringify(question.measured);
    const now = await api.question().catch(() => null);
    if (left || !["preparing", "ready"].includes(state) || shown?.question !== question) return undefined;
    if (now?.question?.step === question.step && JSON.stringify(now.question.measured) !== before) return show(now.question);
    later(POLL, () => poll(question));
    return undefined;
  }

  function broken(question, error) {
    shown = { question, id: answerId(), at: performance.now(), seconds: null, view: { node: null, actions: {} } };
    enter("broken");
    node.removeAttribute("data-large");
    stage.replaceChildren(h("p", { class: "centre" }, `${error.message}.`));
    table.replaceChildren(parameters(question, study.space, false));
    tools.replaceChildren();
    tell(`${error.message}.`, button("Retry", () => next()));
    say(error.message);
  }

  // An answer ----------------------------------------------------------------------------------------------------------

  async function answer(key) {
    const able = state === "ready" || state === "offline" || (key === "skipped" && (state === "broken" || state === "preparing"));
    if (!able || performance.now() - shown.at < QUIET) return;
    const mine = shown;
    const pressed = key === "skipped" ? skip : answers[key];
    stopTimers();
    enter("saving");
    pressed.setAttribute("data-pressed", "");
    mine.seconds ??= Math.round(performance.now() - mine.at) / 1000;
    let reply;
    try {
      reply = await api.answer({ step: mine.question.step, answer: key, answer_id: mine.id, seconds: mine.seconds });
    } catch (error) {
      if (left) return;
      if (!(error instanceof Refused)) throw error;
      if (error.status === 409) return stale(error);
      unsaved(error);
      return;
    }
    if (left) return;
    last = mine.question.step;
    progress(reply);
    say(outcome(key, reply));
    tell("");
    await next();
  }

  // What was saved, which after a lost reply may be what was pressed first.
  function outcome(key, { saved, answers: count }) {
    const words = saved.event === "Skipped" || saved.event === "skipped" ? "skipped" : (saved.data.answer ?? key);
    if (words === "skipped") return "Skipped: something else is asked.";
    return words === key ? `Answer ${count} saved: ${said(words)}.` : `Answer ${count} was saved before: ${said(words)}.`;
  }

  function unsaved(error) {
    enter("offline");
    const text = error.offline ? "Not saved: press again." : `Not saved: ${error.message}`;
    tell(text);
    say(text);
  }

  async function stale(error) {
    const why = "This pair was answered or withdrawn elsewhere, so this press was not saved. Here is the current one.";
    say(why);
    console.info(error.message);
    await next(why);
  }

  async function takeBack() {
    if (undo.disabled) return;
    const before = state;
    stopTimers();
    enter("saving");
    try {
      current = await api.undo(last === null ? {} : { step: last });
    } catch (error) {
      if (left) return;
      if (!(error instanceof Refused)) throw error;
      if (error.offline) {
        enter(before);
        tell("Not undone: press again.");
        say("Not undone: press again.");
        return;
      }
      last = null;
      await next(`Not undone: ${error.message}.`);
      return;
    }
    if (left) return;
    last = null;
    progress(current);
    say("Undone: the same pair again.");
    if (current.question) await show(current.question);
    else await next("Undone; that pair cannot be shown any more.");
  }

  // Whether to stop ----------------------------------------------------------------------------------------------------

  const keep = `keep ${study.name}`;
  const adviceKey = `advice ${study.name}`;

  // Once when all planned answers are there or the advice is to stop; after "Keep comparing", ten answers later again.
  function over() {
    const { answers: count, expected } = current;
    const advised = kept.get(adviceKey);
    const stop = advised?.stop && advised.answers <= count;
    return (count >= expected || stop) && count >= (kept.get(keep) ?? 0);
  }

  async function advise() {
    const count = current.answers;
    if (count < ADVICE_FROM || count % ADVICE_EVERY || kept.get(adviceKey)?.answers === count) return;
    const { advice } = await api.advice().catch(() => ({ advice: null }));
    if (advice) kept.set(adviceKey, { ...advice, answers: count });
  }

  function finished(why = "", more = true) {
    const advised = kept.get(adviceKey);
    const stop = advised?.stop && advised.answers <= current.answers;
    const heading = why ? "There is nothing left to ask" : stop ? "We can stop: the best is unlikely to change" : current.expected === 1 ? "The planned answer is given" : `All ${current.expected} planned answers are given`;
    const reason = why || advised?.reason || "The result shows what they say so far.";
    enter("finished");
    node.removeAttribute("data-large");
    tell("");
    const on = button("Keep comparing", () => {
      kept.set(keep, current.answers + 10);
      show(current.question);
    });
    const see = button("See result", () => go("result"), { class: "main" });
    stage.replaceChildren(h("div", { class: "finished" }, h("h2", {}, heading), h("p", { dir: "auto" }, reason), h("p", { class: "row" }, see, more && on)));
    table.replaceChildren();
    tools.replaceChildren();
    say(heading);
    see.focus();
  }

  // What the keys do ---------------------------------------------------------------------------------------------------

  function act(action) {
    if (action === "undo") return takeBack();
    if (action in ANSWERS) return answer(action);
    const done = state === "ready" || state === "offline" ? shown.view.actions[action]?.(true) : undefined;
    if (typeof done === "string") say(done);
    return undefined;
  }

  const release = () => shown?.view.actions.flicker?.(false);

  function leave() {
    left = true;
    stopTimers();
    shown?.view.leave?.();
  }

  showTable(kept.get("table", true));
  next();
  return { node, act, release, leave, title: study.question, describe: () => shown && described("a", shown.question.a) };
}
