// The screen Compare of a study that asks about more than two candidates: a gallery, from which the best, the worst or all are
// chosen one after another, by a press or with number keys. An order can be dragged, too. A pair among them is answered here as well.

import { answerId, lastAnswered, Refused } from "./api.js";
import { button, h, icon, kept, say } from "./dom.js";
import { openKeys, singleKeys } from "./keys.js";
import { gestures, silence, winner } from "./media.js";
import { badge } from "./parameters.js";
import { described, listed, named, said, t, writer } from "./words.js";

const SIDES = ["a", "b", "c", "d", "e", "f"];
const QUIET = 250; // ms after a question appears in which answers are ignored: they were meant for the one before
const POLL = 500; // ms between two looks for candidates that are being rendered
const AGAIN = 5_000; // ms until what did not arrive is sent again by itself
const ORDINALS = ["best", "second", "third", "fourth", "fifth", "sixth"];

// What a choice says, on its button and when it is made.
function choice(as, side) {
  switch (as) {
    case "better": return side === "A" ? t("A is better") : t("B is better");
    case "best": return t("{side} is the best", { side });
    case "worst": return t("{side} is the worst", { side });
    case "second": return t("{side} is the second", { side });
    case "third": return t("{side} is the third", { side });
    case "fourth": return t("{side} is the fourth", { side });
    case "fifth": return t("{side} is the fifth", { side });
    default: return t("{side} is the sixth", { side });
  }
}

// What a question about several asks for.
function asked(question) {
  const sides = sidesOf(question).map((side) => side.toUpperCase());
  switch (kindOf(question)) {
    case "best": return t("Which one is the best?");
    case "worst": return t("Which one is the worst?");
    case "best and worst": return t("Which one is the best, and which one the worst?");
    case "rank": return t("What is their order, best first? Choose one after the other, or drag them.");
    case "insert": return t("Where does {last} belong among {others}, which are shown best first?", { last: sides.at(-1), others: listed(sides.slice(0, -1)) });
    default: return "";
  }
}

export const sidesOf = (question) => SIDES.filter((side) => side in question);

const kindOf = ({ kind }) => kind.replace(/ (of |among )?\d$/, "");

// What the next choice is called; null if nothing is chosen one by one.
function wanted(question, picked) {
  const kind = kindOf(question);
  if (kind === "insert") return null;
  if (kind === "rank") return ORDINALS[picked.length];
  return kind === "worst" || (kind === "best and worst" && picked.length) ? "worst" : kind === "pair" ? "better" : "best";
}

// The answer, as soon as enough was chosen; null before.
function answerOf(question, picked) {
  const [first, second] = picked;
  switch (kindOf(question)) {
    case "pair":
      return first ?? null;
    case "rank": {
      const left = sidesOf(question).filter((side) => !picked.includes(side));
      return left.length > 1 ? null : [...picked, ...left].join(",");
    }
    case "best and worst":
      return second ? `best ${first} worst ${second}` : null;
    default:
      return first ? `${kindOf(question)} ${first}` : null;
  }
}

export function gallery({ api, study, me, go, progress }) {
  let current = null; // what the server said last
  let id = null; // of the answer to the question that is shown
  let at = 0; // when it was shown
  let picked = []; // the sides chosen so far
  let busy = true;
  let left = false;
  let last = null; // the step answered last in this tab
  let timer = null;
  let order = null; // the sides as somebody dragged them
  let held = null; // the card that is dragged
  const valued = writer(study.space);
  const usual = study.question === "Which is better?"; // the owner asked nothing else: the kind of question is heading enough
  const asks = h(usual ? "h1" : "p", { class: "asks" });
  const stage = h("section", { class: "gallery", "aria-label": t("What to compare") });
  const notice = h("p", { class: "notice", hidden: true });
  const places = h("div", { class: "answers", role: "group", "aria-label": t("Your answer"), hidden: true });
  const undo = button([icon("undo"), t("Undo")], () => back());
  const skip = button([icon("unsure"), named("skipped")], () => send("skipped"));
  const none = button([icon("neither"), t("None is good enough")], () => send("both unacceptable"));
  const faulty = h("details", { class: "menu" });
  const rated = h("div");
  const help = button([icon("keys"), t("Keys")], openKeys, { class: "help" });
  const more = h("div", { class: "more" }, undo, skip, none, faulty, h("span", { class: "push" }), help);
  const node = h("div", { class: "compare several" }, asks, stage, h("div", { class: "dock" }, notice, rated, places, more));

  function tell(text, ...buttons) {
    notice.replaceChildren(h("span", { dir: "auto" }, text), ...buttons);
    notice.hidden = !text;
    if (text) say(text);
  }

  function enter(state) {
    busy = state !== "ready";
    node.dataset.state = state;
    for (const each of node.querySelectorAll(".choose, .answers button, .more button:not(.help)")) each.disabled = busy;
    undo.disabled = busy && state !== "finished";
  }

  async function next() {
    clearTimeout(timer);
    enter("thinking");
    try {
      current = await api.question();
    } catch (error) {
      return failed(error, next);
    }
    if (left) return undefined;
    progress(current);
    const over = current.answers >= current.expected && current.answers >= (kept.get(`keep ${study.name}`) ?? 0);
    if (current.question && !over) return show(current.question);
    tell("");
    asks.textContent = "";
    places.hidden = true;
    enter("finished");
    const { finish } = await import("./result.js");
    return finish(stage, { api, study, me, go }, { current, why: current.question ? "" : current.finished, on: current.question && show, here: () => !left && node.dataset.state === "finished" });
  }

  function show(question) {
    const waits = sidesOf(question).filter((side) => question.preparing[side]);
    const broken = waits.find((side) => question.preparing[side].failed);
    if (broken) tell(t("{side} can’t be shown: {why}", { side: broken.toUpperCase(), why: question.preparing[broken].failed }), button(t("It didn’t work: next"), () => send(`${broken} failed`)));
    else if (waits.length) tell(t("Preparing {count|candidate|candidates} {sides}", { count: waits.length, sides: listed(waits.map((side) => side.toUpperCase())) }));
    else tell("");
    [id, at, picked, order] = [answerId(), performance.now(), [], null];
    node.dataset.step = question.step;
    asks.textContent = asked(question);
    draw(question);
    if (study.ratings) import("./saying.js").then(({ rates }) => rated.replaceChildren(rates(question, { api, study })));
    enter(waits.length ? "preparing" : "ready");
    if (waits.length) {
      skip.disabled = false;
      for (const each of [notice, faulty].flatMap((part) => [...part.querySelectorAll("button")])) each.disabled = false;
      busy = false;
      if (!broken) timer = setTimeout(poll, POLL);
    }
  }

  async function poll() {
    const now = await api.question().catch(() => null);
    if (!left && now?.question?.step === current.question.step) show((current = now).question);
  }

  function draw(question) {
    const sides = order ?? sidesOf(question);
    const kind = kindOf(question);
    stage.classList.toggle("drags", kind === "rank");
    stage.style.setProperty("--many", sides.length);
    stage.style.setProperty("--columns", sides.length > 4 ? 3 : sides.length);
    stage.replaceChildren(...sides.map((side) => card(question, side)));
    const names = sides.map((side) => side.toUpperCase());
    const same = kind === "pair" ? [button(named("same"), () => send("same"), { class: "answer" })] : [];
    const put = (_, k) => button(`${k + 1}: ${k ? t("after {side}", { side: names[k - 1] }) : choice("best", names.at(-1))}`, () => send(`place ${k + 1}`), { class: "answer" });
    const mine = order && !picked.length && [button(t("Save this order: {order}", { order: names.join(", ") }), () => send(order.join()), { class: "answer" })];
    places.replaceChildren(...(mine || (kind === "insert" ? sides.map(put) : same)));
    places.hidden = !places.childElementCount;
    const each = sides.map((side) => button(t("{side} didn’t work", { side: side.toUpperCase() }), () => send(`${side} failed`)));
    faulty.replaceChildren(h("summary", {}, icon("failed"), t("One failed")), h("div", {}, each));
    faulty.open = false;
  }

  // A mouse takes a card anywhere; a finger takes the line with its letter, and scrolls elsewhere.
  stage.addEventListener("pointerdown", ({ target, pointerType }) => {
    const able = !busy && !target.closest("button, audio, video, pre");
    held = able ? target.closest(pointerType === "mouse" ? ".drags .card" : ".drags figcaption")?.closest(".card") : null;
  });
  stage.addEventListener("dragstart", (event) => event.preventDefault());
  gestures(stage, {
    drag: (_, __, { clientX, clientY }) => {
      const over = document.elementsFromPoint(clientX, clientY).map((each) => each.closest(".card")).find((each) => each && each !== held);
      if (!held || !over) return;
      held.classList.add("held");
      const cards = [...stage.children];
      over[cards.indexOf(held) < cards.indexOf(over) ? "after" : "before"](held);
    },
  });
  for (const over of ["pointerup", "pointercancel"]) stage.addEventListener(over, () => {
    if (!held?.classList.contains("held")) return;
    [order, picked, held] = [[...stage.children].map((each) => each.dataset.side), [], null];
    draw(current.question);
    places.firstChild.focus();
    say(places.textContent);
  });

  function card(question, side) {
    const [place, as] = [picked.indexOf(side), wanted(question, picked)];
    const name = side.toUpperCase();
    const shown = winner(question.measured[side].files, api, described(side, question[side], valued, study.hide_parameters));
    if (as && place < 0) shown?.querySelector("img")?.addEventListener("click", () => pick(side));
    const values = study.hide_parameters ? [] : Object.entries(question[side]).map(([key, value]) => h("div", {}, h("dt", { dir: "auto" }, key), h("dd", { dir: "auto" }, valued(key, value))));
    const measured = Object.entries(question.measured[side].numbers).map(([key, value]) => h("div", {}, h("dt", { dir: "auto" }, key), h("dd", {}, String(value))));
    const choose = as && place < 0 && button(choice(as, name), () => pick(side), { class: "choose" });
    const done = place >= 0 && h("p", { class: "chosen" }, choice(wanted(question, picked.slice(0, place)), name));
    return h("figure", { class: `card of-${side}${place < 0 ? "" : " picked"}`, dataset: { side } }, shown, h("figcaption", {}, badge(side), choose, done), h("dl", {}, values, measured));
  }

  function pick(side) {
    if (busy || node.dataset.state !== "ready" || picked.includes(side) || performance.now() - at < QUIET) return;
    picked = [...picked, side];
    const answer = answerOf(current.question, picked);
    draw(current.question);
    if (answer === null) say(`${choice(wanted(current.question, picked.slice(0, -1)), side.toUpperCase())}.`);
    else send(answer);
  }

  async function send(answer) {
    const able = node.dataset.state !== "preparing" || /^skipped|failed$/.test(answer); // nobody judges what is not shown
    if (busy || !able || performance.now() - at < QUIET) return;
    clearTimeout(timer);
    tell("");
    enter("saving");
    const { step, kind } = current.question;
    let reply;
    try {
      reply = await api.answer({ step, kind, answer, answer_id: id, seconds: Math.round(performance.now() - at) / 1000 });
    } catch (error) {
      if (!error.offline) return failed(error, error.status === 409 ? next : () => show(current.question));
      return unsaved(answer);
    }
    if (left) return undefined;
    last = step;
    progress(reply);
    silence();
    const { answer: stored } = reply.saved.data;
    say(stored ? t("Answer {count} saved: {answer}.", { count: reply.answers, answer: said(stored) }) : t("Saved. Here is another question."));
    return next();
  }

  // It is sent again by itself; it has an id, so it is saved once, however often it arrives.
  function unsaved(answer) {
    if (left) return;
    enter("offline");
    const mine = id;
    const again = () => {
      if (left || node.dataset.state !== "offline" || id !== mine) return; // it arrived meanwhile
      busy = false;
      send(answer);
    };
    tell(t("That answer isn’t saved yet. It is sent by itself when the connection is back. Your earlier answers are safe."), button(t("Send now"), again));
    timer = setTimeout(again, AGAIN);
    window.addEventListener("online", again, { once: true });
  }

  function failed(error, again) {
    if (!(error instanceof Refused)) throw error;
    if (left) return;
    enter("stopped");
    tell(error.offline ? t("Not saved: there is no connection.") : t("Not saved: {why}.", { why: error.message }), button(t("Try again"), again));
  }

  // Takes back the last choice, or the last answer.
  async function back() {
    if (undo.disabled) return undefined;
    if (picked.length || order) {
      if (!picked.length) order = null;
      picked = picked.slice(0, -1);
      return draw(current.question);
    }
    enter("saving");
    try {
      const step = last ?? (await lastAnswered(api, me));
      current = await api.undo({ step });
    } catch (error) {
      return failed(error, next);
    }
    last = null;
    progress(current);
    say(t("Undone. Here is the same question again."));
    return current.question ? show(current.question) : next();
  }

  function act(action) {
    if (action === "undo") return back();
    if (["skipped", "both unacceptable"].includes(action) || (action === "same" && current?.question?.kind === "pair")) return send(action);
    return action === "a" || action === "b" ? chosen(action) : undefined;
  }

  const chosen = (side) => current?.question && (kindOf(current.question) === "insert" ? send(`place ${SIDES.indexOf(side) + 1}`) : pick(side));

  // The keys 3 to 6 mean nothing on other screens.
  function press(event) {
    const typing = event.target instanceof Element && event.target.matches("input, textarea, select");
    const side = SIDES[Number(event.key) - 1];
    const able = singleKeys() && !typing && !event.repeat && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (able && Number(event.key) > 2 && side && current?.question && side in current.question) chosen(side);
  }

  function leave() {
    left = true;
    clearTimeout(timer);
    silence();
    document.removeEventListener("keydown", press);
  }

  document.addEventListener("keydown", press);
  next();
  return { node, act, leave, title: usual ? "" : study.question };
}
