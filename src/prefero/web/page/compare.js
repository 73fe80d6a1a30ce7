// The screen Compare: one pair after another. Its states are thinking, preparing, ready, saving, offline, broken, stopped and
// finished. An answer carries an id made when its pair was shown, so that an answer sent twice is saved once.

import { answerId, lastAnswered, Refused } from "./api.js";
import { button, find, h, icon, kept, say } from "./dom.js";
import { openKeys } from "./keys.js";
import { arranged, Broken, media, panes, showable } from "./media.js";
import { parameters } from "./parameters.js";
import { ANSWERS, listed, named, number, percent, said, sideOf, t, writer } from "./words.js";

const QUIET = 250; // ms after a pair appears in which answers are ignored: they were meant for the pair before
const DIM = 150; // ms of waiting until the old pair is dimmed
const TELL = 1_000; // ms of waiting until the page says what it waits for
const LONG = 10_000; // ms of waiting until the page gives a reason and a way out
const POLL = 1_500; // ms between two looks for files that somebody else uploads
const SOON = 250; // ms between two looks if the server itself renders a candidate
const ADVICE_FROM = 10; // fetch advice from this many answers on
const ADVICE_EVERY = 5; // and then after this many more

const SCALE = [
  ["much a", "much-left", "Shift ←"],
  ["a", "left", "←"],
  ["same", "same", "↓"],
  ["b", "right", "→"],
  ["much b", "much-right", "Shift →"],
];
const AGAIN = [2_000, 5_000, 10_000, 30_000]; // ms until what did not arrive is sent again by itself
const AHEAD = [300, 1_000, 2_000, 4_000, 8_000]; // ms after a pair appears: looks for what may come next, to load it meanwhile
const MOST_LETTERS = 2_000; // of a reason
const IN_A_ROW = 3; // candidates that are set aside by themselves before the page asks what to do

// What an answer is called where five stand in a row.
function short(answer) {
  switch (answer) {
    case "much a": return t("A much better");
    case "a": return t("A better");
    case "b": return t("B better");
    case "much b": return t("B much better");
    default: return named(answer);
  }
}

export function compare({ api, study, me, go, progress }) {
  let state = "thinking";
  let current = null; // what the server said last
  let shown = null; // { question, id, at, seconds, view }
  let last = null; // the step answered last in this tab
  let left = false;
  let timers = [];
  let expects = study.files; // names of files that other candidates have
  let chosen = null; // the file that is shown, where there are several
  let focused = null; // the answer that had the focus when it was pressed: a disabled button loses it
  let tries = 0; // of a request that did not arrive
  let comeback = null; // what is sent as soon as the connection is back
  let offer = null; // a button beside what is said about the next pair
  let passing = null; // what is said about this moment, and no longer true in the next
  let aside = 0; // candidates set aside since a pair was shown
  const loaded = new Set(); // digests of files that were loaded before they were needed
  const tried = new Set(); // steps of which a candidate was set aside: after an undo the person decides
  const bare = study.hide_parameters;
  const valued = writer(study.space);

  // The parts of the screen --------------------------------------------------------------------------------------------

  const stage = h("section", { class: "stage", "aria-label": t("What to compare"), onclick: (event) => choose(event) });
  const table = h("div", { class: "drawer" });
  const notice = h("p", { class: "notice", hidden: true });
  const ideas = h("div", { class: "ideas" });
  const five = study.strengths;
  const answers = Object.fromEntries(SCALE.filter(([key]) => five || key !== `much ${key.at(-1)}`).map(([key, sign, cap]) => [key, button([h("span", {}, five ? short(key) : named(key)), icon(sign), h("kbd", { "aria-hidden": "true" }, cap)], () => answer(key), { class: `answer of-${sideOf(key)}`, "aria-label": named(key) })]));
  const undo = button([icon("undo"), t("Undo")], () => takeBack());
  const skip = button([icon("unsure"), named("skipped")], () => answer("skipped"));
  const neither = ["wide", "narrow"].map((width) => button([icon("neither"), named("both unacceptable")], () => answer("both unacceptable"), { class: width }));
  const failures = ["a failed", "b failed"].map((key) => button(named(key), () => answer(key)));
  const faulty = h("details", { class: "menu" }, h("summary", {}, icon("failed"), t("One failed")), h("div", {}, failures, neither[1]));
  const hide = button([icon("values"), t("What differs")], () => showTable(hide.getAttribute("aria-pressed") !== "true", true), { "aria-pressed": "false" });
  const tools = h("span", { class: "tools" });
  const rated = h("div", { hidden: !study.ratings });
  const doubt = button([icon("unsure"), t("Not sure")], () => doubted(doubt.getAttribute("aria-pressed") !== "true"), { "aria-pressed": "false", class: "doubt", hidden: !study.unsure });
  const reason = h("input", { type: "text", maxlength: MOST_LETTERS, "aria-label": t("Why? Saved with your next answer."), placeholder: t("Why? Saved with your next answer."), dir: "auto", hidden: true, onkeydown: ({ key }) => /^(Enter|Escape)$/.test(key) && reason.blur() });
  const why = button([icon("why"), t("Say why")], () => {
    reason.hidden = !reason.hidden;
    why.setAttribute("aria-expanded", String(!reason.hidden));
    if (!reason.hidden) reason.focus();
  }, { "aria-expanded": "false", class: "why" });
  const node = h(
    "div",
    { class: "compare" },
    h("div", { class: "pair" }, stage, table),
    h(
      "div",
      { class: "dock" },
      notice,
      ideas,
      rated,
      reason,
      h("div", { class: five ? "answers five" : "answers", role: "group", "aria-label": t("Your answer") }, Object.values(answers)),
      h("div", { class: "more" }, undo, skip, doubt, neither[0], faulty, why, h("span", { class: "push" }), tools, hide, button([icon("keys"), t("Keys")], openKeys, { class: "help" })),
    ),
  );

  // A press on what is shown chooses it, unless the press was for something in it: a player, a text to copy.
  function choose({ target }) {
    const side = target.closest?.(".pane, .large .of-a, .large .of-b")?.className.match(/of-([ab])/)?.[1];
    if (side && !target.closest("button, input, select, a, audio") && window.getSelection().isCollapsed) answer(side);
  }

  function enter(next) {
    state = next;
    node.dataset.state = next;
    const able = next === "ready" || next === "offline";
    for (const each of [...Object.values(answers), ...neither]) each.disabled = !able;
    skip.disabled = !(able || next === "broken" || next === "preparing");
    for (const each of failures) each.disabled = skip.disabled;
    faulty.open = false;
    if (able && document.activeElement === document.body) focused?.focus();
    undo.disabled = next === "saving" || next === "thinking" || !(current?.answers > 0 || last !== null);
    if (!["saving", "thinking", "offline"].includes(next)) node.removeAttribute("data-chosen");
    if (next !== "saving" && next !== "offline") unmark();
  }

  // The next answer is one that the person is not sure of.
  const doubted = (on) => {
    doubt.setAttribute("aria-pressed", String(on));
    node.toggleAttribute("data-doubt", on);
  };

  const unmark = () => node.querySelector("[data-pressed]")?.removeAttribute("data-pressed");

  function stopTimers() {
    timers.forEach(clearTimeout);
    timers = [];
    comeback = null;
    node.removeAttribute("data-dim");
  }

  const later = (ms, work) => timers.push(setTimeout(() => left || work(), ms));

  // Sends again what did not arrive: when the browser says that it is back, or after a while.
  function sendAgain(work) {
    comeback = work;
    later(AGAIN[Math.min(tries, AGAIN.length - 1)], work);
    tries += 1;
  }

  const online = () => comeback?.();
  window.addEventListener("online", online);

  function tell(text, ...buttons) {
    notice.replaceChildren(h("span", { dir: "auto" }, text), ...buttons.filter(Boolean));
    notice.hidden = !text;
  }

  // The drawer is open if the person opened it, or if something was measured and they did not close it.
  function showTable(on, chosenSo = false) {
    if (chosenSo) kept.set("values", on);
    hide.setAttribute("aria-pressed", String(on));
    node.toggleAttribute("data-bare", !on);
    if (on && current.hints && !bare) import("./saying.js").then(({ hints }) => hints(table, current, { api, study, noted }));
  }

  // Says that a hint was saved; the same pair waits, with other hints. An undo now takes back the hint.
  async function noted(text) {
    last = null;
    focused = hide;
    tell(text, button(t("Undo"), takeBack));
    say(text);
    return (current = await api.question());
  }

  // The next pair ------------------------------------------------------------------------------------------------------

  async function next(why = "") {
    stopTimers();
    enter("thinking");
    const began = performance.now();
    later(DIM, () => node.setAttribute("data-dim", ""));
    const count = () => {
      const seconds = (performance.now() - began) / 1000;
      const text = t("Choosing the next pair… {seconds} s", { seconds: number(seconds.toFixed(1)) });
      if (seconds * 1000 < LONG) tell(text);
      else tell(`${text} ${t("It takes longer with more answers. All of them are saved.")}`, button(t("Stop here"), () => go("result")));
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
    const lost = error.offline ? t("No connection. Your saved answers are safe.") : error.message;
    tell(lost, button(t("Try again"), again));
    say(lost);
    if (error.offline) sendAgain(again);
  }

  async function show(question, why = "") {
    stopTimers();
    shown?.view.leave?.();
    const names = showable(question.measured.a.files, question.measured.b.files, expects ?? {});
    const name = names.includes(chosen) ? chosen : (names[0] ?? null);
    const failing = ["a", "b"].find((side) => question.preparing?.[side]?.failed);
    if (failing) return broken(question, new Broken(failing, question.preparing[failing].failed, "prepared"));
    const without = (side) => (name === null ? bare && expects !== null : !question.measured[side].files[name]);
    const missing = ["a", "b"].filter((side) => question.preparing?.[side] || without(side));
    const next = { question, id: answerId(), seconds: null, view: { node: null, actions: {} } };
    if (missing.length) return prepare(question, missing, why);
    if (name !== null) {
      enter("preparing");
      later(TELL, () => tell(t("Loading the candidates…")));
      try {
        next.view = await media(question, name, api.file, valued, bare);
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
    tell([why, note(question)].filter(Boolean).join(" "), offer);
    [offer, aside] = [null, 0];
    if (passing && find("#status").textContent === passing) say("");
    passing = null;
    enter("ready");
    if (name === null || !question.measured.a.files[name]) later(POLL, () => poll(question));
    if (name !== null) for (const wait of AHEAD) later(wait, () => loadAhead(next));
    advise();
    return undefined;
  }

  // Loads the files of the likely next pairs while the person looks; the browser keeps them, since a file never changes.
  async function loadAhead(mine) {
    const { files } = await api.ahead().catch(() => ({ files: [] }));
    for (const digest of files) {
      if (left || shown !== mine || state !== "ready") return;
      if (loaded.has(digest)) continue;
      loaded.add(digest);
      await fetch(api.file(digest), { priority: "low" }).then((reply) => reply.blob()).catch(() => loaded.delete(digest));
    }
  }

  function put({ question, view }, names, name) {
    const large = view.node === null;
    node.dataset.step = question.step;
    node.toggleAttribute("data-large", large);
    const made = parameters(question, study.space, large);
    stage.replaceChildren(large ? made : view.node);
    if (study.ratings) import("./saying.js").then(({ rates }) => rated.replaceChildren(rates(question, { api, study })));
    table.replaceChildren(...(large || bare ? [] : [made]));
    hide.hidden = bare || (large && !current.hints);
    hide.lastChild.data = large ? t("Hints") : t("What differs");
    showTable(kept.get("values") ?? (!large && ["a", "b"].some((side) => Object.keys(question.measured[side].numbers).length > 0)));
    const others = names.length > 1 ? [h("select", { "aria-label": t("File"), onchange: (event) => { chosen = event.target.value; show(question); } }, names.map((each) => h("option", { selected: each === name }, each)))] : [];
    tools.replaceChildren(...others, ...(view.tools ?? []));
  }

  const note = ({ note: why }) => (!why ? "" : why.startsWith("to be sure") ? t("You have seen this pair before. We are checking that your answer holds.") : t("This pair is {what}. Your answers are kept.", { what: why }));

  // Shows a pair that is not ready, or that failed.
  function stand(question, panes) {
    const before = shown?.question.step === question.step && shown.stands ? shown : { id: answerId(), at: performance.now() };
    shown = { question, id: before.id, at: before.at, seconds: null, view: { node: null, actions: {} }, stands: true };
    node.dataset.step = question.step;
    node.removeAttribute("data-large");
    stage.replaceChildren(panes);
    table.replaceChildren(...(bare ? [] : [parameters(question, study.space, false)]));
    hide.hidden = bare;
    tools.replaceChildren();
  }

  function prepare(question, missing, why) {
    const waits = { count: missing.length, sides: listed(missing.map((side) => side.toUpperCase())) };
    const text = t("Preparing {count|candidate|candidates} {sides}", waits);
    const [a, b] = ["a", "b"].map((side) => (missing.includes(side) ? waiting(side, question.preparing?.[side]) : t("Ready")));
    stand(question, arranged(panes({ a, b }, "waiting"), 1.5));
    enter("preparing");
    say((passing = text));
    tell(why);
    later(pause(question), () => poll(question));
    later(Math.max(0, shown.at + LONG - performance.now()), () => tell(t("Preparing {count|candidate|candidates} {sides} takes longer than usual.", waits), !bare && button(t("Compare without it"), () => { expects = null; put(shown, [], null); enter("ready"); tell(note(question)); })));
  }

  function waiting(side, known) {
    const far = known?.progress ?? null;
    const text = `${t("Preparing candidate {side}…", { side: side.toUpperCase() })}${far === null ? "" : ` ${percent(far)}`}`;
    return h("span", { class: "far" }, text, far !== null && h("progress", { max: 1, value: far, "aria-label": text }));
  }

  const pause = ({ preparing }) => (preparing?.a || preparing?.b ? SOON : POLL);

  // Looks whether a candidate became ready, or has new files, while the person waits or compares.
  async function poll(question) {
    const seen = ({ measured, preparing }) => JSON.stringify([measured, preparing]);
    const now = await api.question().catch(() => null);
    if (left || !["preparing", "ready"].includes(state) || shown?.question !== question) return undefined;
    if (now?.question?.step === question.step && seen(now.question) !== seen(question)) return show(now.question);
    later(pause(question), () => poll(question));
    return undefined;
  }

  // A candidate that could not be made is set aside by itself, once; one whose file cannot be shown is for the person to judge.
  function broken(question, error) {
    const [side, other] = [error.side.toUpperCase(), error.side === "a" ? "B" : "A"];
    const text = t("We can’t show {side} right now. Nothing is lost.", { side });
    stand(question, h("p", { class: "centre" }, t("{side} can’t be shown, so {other} has nothing to be compared with.", { side, other })));
    if (error.verb === "prepared" && !tried.has(question.step) && aside < IN_A_ROW) return setAside(question, error);
    enter("broken");
    const why = me.role !== "judge" && h("details", {}, h("summary", {}, t("Why")), h("span", { dir: "auto" }, `${error.message}.`));
    tell(text, button(t("Retry"), () => retry(question, error)), why);
    say((passing = text));
    return undefined;
  }

  async function setAside(question, error) {
    tried.add(question.step);
    aside += 1;
    enter("saving");
    try {
      progress(await api.answer({ step: question.step, answer: `${error.side} failed`, answer_id: shown.id, note: error.message.slice(0, 500) }));
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused;
      return left ? undefined : refused.status === 409 ? stale(refused) : broken(question, error);
    }
    if (left) return undefined;
    last = question.step;
    offer = button(t("Try it again"), () => bringBack(question, error));
    const why = t("{side} of the pair before could not be made, so it was set aside.", { side: error.side.toUpperCase() });
    say(why);
    return next(why);
  }

  // Undoes that a candidate was set aside, and makes it again.
  async function bringBack(question, error) {
    enter("saving");
    try {
      await api.undo({ step: question.step });
      await api.prepare(question.step, error.side);
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused;
      say(t("Not tried again: {why}.", { why: refused.message }));
    }
    last = null;
    if (!left) await next();
  }

  async function retry(question, error) {
    try {
      if (error.verb === "prepared") await api.prepare(question.step, error.side);
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused;
      if (!left) tell(t("Not tried again: {why}.", { why: refused.message }), button(t("Retry"), () => retry(question, error)));
      return;
    }
    if (!left) await next();
  }

  // An answer ----------------------------------------------------------------------------------------------------------

  async function answer(key) {
    const able = state === "ready" || state === "offline" || (/^skipped|failed$/.test(key) && (state === "broken" || state === "preparing"));
    if (!able || performance.now() - shown.at < QUIET) return;
    const mine = shown;
    const menu = neither[0].checkVisibility() && /^both/.test(key) ? neither[0] : faulty.firstChild;
    const pressed = key === "skipped" ? skip : (answers[key] ?? menu);
    stopTimers();
    focused = pressed === document.activeElement ? pressed : null;
    enter("saving");
    unmark();
    pressed.setAttribute("data-pressed", "");
    node.dataset.chosen = sideOf(key) ?? key;
    mine.seconds ??= Math.round(performance.now() - mine.at) / 1000;
    let reply;
    try {
      const sure = doubt.getAttribute("aria-pressed") !== "true" || /skipped|failed|unacceptable/.test(key);
      reply = await api.answer({ step: mine.question.step, answer: key, answer_id: mine.id, seconds: mine.seconds, ...(!sure && { sure }), ...(reason.value.trim() && { note: reason.value }) });
    } catch (error) {
      if (left) return;
      if (!(error instanceof Refused)) throw error;
      if (error.status === 409) return stale(error);
      unsaved(error, key);
      return;
    }
    if (left) return;
    last = mine.question.step;
    tries = 0;
    const suggests = me.suggests && reason.value.trim();
    reason.value = "";
    doubted(false);
    progress(reply);
    say(outcome(key, reply));
    tell("");
    ideas.replaceChildren();
    await next();
    if (suggests) import("./saying.js").then(({ suggested }) => suggested(ideas, last, api));
  }

  // What was saved: after a lost reply, that is the answer pressed first.
  function outcome(key, { saved, answers: count }) {
    const words = saved.event === "Skipped" || saved.event === "skipped" ? "skipped" : (saved.data.answer ?? key);
    if (words === "skipped") return t("Skipped. Here is another pair.");
    const answer = said(words);
    if (/failed|unacceptable$/.test(words)) return t("Saved: {answer}. Here is another pair.", { answer });
    return words === key ? t("Answer {count} saved: {answer}.", { count, answer }) : t("Answer {count} was saved before: {answer}.", { count, answer });
  }

  // The answer stays marked and is sent again by itself; it has an id, so it is saved once, however often it arrives.
  function unsaved(error, key) {
    enter("offline");
    const text = error.offline ? t("That answer isn’t saved yet. It is sent by itself when the connection is back. Your earlier answers are safe.") : t("Not saved: {why}.", { why: error.message });
    tell(text, error.offline && button(t("Send now"), () => answer(key)));
    say(text);
    if (error.offline) sendAgain(() => answer(key));
  }

  async function stale(error) {
    const why = t("This pair was answered or withdrawn elsewhere. Your answer was not saved. Here is the current pair.");
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
      last ??= await lastAnswered(api, me);
      current = await api.undo({ step: last });
    } catch (error) {
      if (left) return;
      if (!(error instanceof Refused)) throw error;
      if (error.offline) {
        enter(before);
        tell(t("Not undone: press again."));
        say(t("Not undone: press again."));
        return;
      }
      last = null;
      await next(t("Not undone: {why}.", { why: error.message }));
      return;
    }
    if (left) return;
    const waits = last < 0; // the same pair as before: a hint or a rating was undone
    last = null;
    progress(current);
    if (waits) return next(t("Undone."));
    say(t("Undone. Here is the same pair again."));
    if (current.question) await show(current.question);
    else await next(t("Undone. That pair can no longer be shown."));
  }

  // Whether to stop ----------------------------------------------------------------------------------------------------

  const adviceKey = `advice ${study.name}`;

  // Whether to offer to stop: when all planned answers are given or the advice is to stop; ten answers after "Keep comparing", again.
  function over() {
    const { answers: count, expected } = current;
    const advised = kept.get(adviceKey);
    const stop = advised?.stop && advised.answers <= count;
    return (count >= expected || stop) && count >= (kept.get(`keep ${study.name}`) ?? 0);
  }

  async function advise() {
    const count = current.answers;
    if (!study.insight || count < ADVICE_FROM || count % ADVICE_EVERY || kept.get(adviceKey)?.answers === count) return;
    const { advice } = await api.advice().catch(() => ({ advice: null }));
    if (advice) kept.set(adviceKey, { ...advice, answers: count });
  }

  async function finished(why = "", more = true) {
    enter("finished");
    node.removeAttribute("data-large");
    tell("");
    table.replaceChildren();
    tools.replaceChildren();
    const advised = kept.get(adviceKey);
    const stop = advised?.stop && !advised.one_sided && advised.answers <= current.answers;
    const { finish } = await import("./result.js");
    await finish(stage, { api, study, me, go }, { current, why, stop, on: more && show, here: () => !left && state === "finished" });
  }

  // What the keys do ---------------------------------------------------------------------------------------------------

  function act(action) {
    if (action === "undo") return takeBack();
    if (action === "unsure") return doubt.click();
    if (ANSWERS.includes(action)) return answer(action);
    const done = state === "ready" || state === "offline" ? shown.view.actions[action]?.(true) : undefined;
    if (typeof done === "string") say(done);
    return undefined;
  }

  const release = () => shown?.view.actions.flicker?.(false);

  function leave() {
    left = true;
    stopTimers();
    window.removeEventListener("online", online);
    shown?.view.leave?.();
  }

  next();
  return { node, act, release, leave, title: study.question };
}
