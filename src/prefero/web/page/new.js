// The form that makes a study: from knobs, from files, or from the rows of a table.

import { create, Refused, study } from "./api.js";
import { button, find, h, say } from "./dom.js";
import { icon } from "./icons.js";
import { thumbnailOf } from "./upload.js";

const KINDS = { real: "Number", integer: "Whole number", choice: "Choice", ordinal: "Choice in order" };
const SOURCES = { knobs: "Knobs I can turn", files: "Files I already have", table: "Rows of a table" };
const TYPES = /^(image|audio|video)\//;
const LARGEST = 32; // MB of one file, as the server allows
const MOST_FILES = 100;
const EXAMPLE = {
  name: "Coffee",
  question: "Which coffee would you rather drink again?",
  variables: [
    { name: "water", type: "real", low: 86, high: 97, unit: "°C" },
    { name: "grind", type: "real", low: 200, high: 1200, unit: "µm", log: true },
    { name: "pours", type: "integer", low: 1, high: 5 },
    { name: "filter", type: "choice", levels: ["paper", "cloth", "metal"] },
  ],
};

let files = [];
let rows = null; // of a table
let made = null; // the study, once it was created: a second try only uploads what is missing
let done = 0; // files that were uploaded

// Fields -----------------------------------------------------------------------------------------------------------------

// A labelled field with room for its error; `path` is how the server calls it.
function field(label, path, input, hint = "") {
  input.id = `field-${path.replace(/\W/g, "-")}`;
  input.dataset.path = path;
  const error = h("span", { class: "error", id: `${input.id}-error`, hidden: true });
  input.setAttribute("aria-describedby", error.id);
  input.addEventListener("input", () => mark(input, ""));
  return h("div", { class: "field" }, h("label", { for: input.id }, label), input, error, hint && h("small", {}, hint));
}

function mark(input, text) {
  const error = find(`#${input.id}-error`);
  error.textContent = text;
  error.hidden = !text;
  input.toggleAttribute("aria-invalid", Boolean(text));
  if (text) input.setAttribute("aria-invalid", "true");
}

const text = (value = "", more = {}) => h("input", { type: "text", value, maxlength: 200, ...more });
const number = (value = "", more = {}) => h("input", { type: "text", inputmode: "decimal", value, ...more });

const name = text("", { required: true });
const question = h("textarea", { rows: 2, maxlength: 1000 });
question.value = "Which one do you like better?";
const count = number("30", { inputmode: "numeric" });
const much = h("input", { type: "checkbox", id: "strengths" });
const knobs = h("div", { class: "knobs" });
const drop = h("div", { class: "drop" });
const table = h("div", { class: "sheet" });

function knob(of = { name: "", type: "real", low: "", high: "" }) {
  const k = knobs.children.length;
  const kind = h("select", { onchange: () => arrange() }, Object.entries(KINDS).map(([value, words]) => h("option", { value, selected: value === of.type }, words)));
  const parts = {
    name: field("Name", `variables[${k}].name`, text(of.name)),
    type: field("Kind", `variables[${k}].type`, kind),
    low: field("From", `variables[${k}].low`, number(of.low ?? "")),
    high: field("To", `variables[${k}].high`, number(of.high ?? "")),
    unit: field("Unit", `variables[${k}].unit`, text(of.unit ?? "", { maxlength: 40 })),
    step: field("Step", `variables[${k}].step`, number(of.step ?? "", { placeholder: "any" })),
    levels: field("Choices, with commas between", `variables[${k}].levels`, text((of.levels ?? []).join(", "))),
    log: h("label", { class: "switch" }, h("input", { type: "checkbox", checked: Boolean(of.log), "data-log": true }), "Ratios matter"),
  };
  const remove = button(icon("bin"), () => {
    node.remove();
    renumber();
  }, { class: "plain remove", "aria-label": "Remove this knob", title: "Remove" });
  const arrange = () => {
    const listed = ["choice", "ordinal"].includes(kind.value);
    for (const key of ["low", "high", "unit", "step", "log"]) parts[key].hidden = listed;
    parts.levels.hidden = !listed;
  };
  const node = h("fieldset", { class: "knob-row" }, h("legend", { class: "away" }, "Knob"), Object.values(parts), remove);
  knobs.append(node);
  arrange();
}

// The server names a variable by its place, which changes when one before it is removed.
function renumber() {
  [...knobs.children].forEach((node, k) => {
    for (const input of node.querySelectorAll("[data-path]")) input.dataset.path = input.dataset.path.replace(/\[\d+\]/, `[${k}]`);
  });
}

// What the form says ---------------------------------------------------------------------------------------------------

class Wrong extends Error {
  constructor(path, why) {
    super(why);
    this.path = path;
  }
}

const source = () => form.elements.source.value;

function body() {
  if (!name.value.trim()) throw new Wrong("name", "Give the study a name.");
  if (name.value.includes("/")) throw new Wrong("name", "A name without /, please.");
  if (!question.value.trim()) throw new Wrong("question", "Ask something.");
  const comparisons = Number(count.value);
  if (!(Number.isInteger(comparisons) && comparisons >= 1)) throw new Wrong("comparisons", "A whole number, such as 30.");
  const common = { name: name.value.trim(), question: question.value.trim(), comparisons, strengths: much.checked };
  if (source() === "knobs") return { ...common, variables: variables() };
  if (source() === "table") {
    if (!rows) throw new Wrong("table", "Choose a CSV file first.");
    return { ...common, catalogue: rows };
  }
  if (files.length < 2) throw new Wrong("files", "Choose two files at least.");
  return { ...common, catalogue: files.map(({ name: file }) => ({ file })), features: ["file"], hide_parameters: true };
}

function variables() {
  if (!knobs.children.length) throw new Wrong("add", "Add a knob: something that can vary.");
  const taken = new Set();
  return [...knobs.children].map((node, k) => {
    const read = (key) => node.querySelector(`[data-path$=".${key}"]`).value.trim();
    const at = (key) => `variables[${k}].${key}`;
    const called = read("name");
    if (!called) throw new Wrong(at("name"), "Give it a name.");
    if (taken.has(called)) throw new Wrong(at("name"), "There is one of this name already.");
    taken.add(called);
    const type = read("type");
    if (type === "choice" || type === "ordinal") {
      const levels = read("levels").split(",").map((each) => each.trim()).filter(Boolean);
      if (levels.length < 2) throw new Wrong(at("levels"), "Two choices at least, with commas between.");
      return { name: called, type, levels };
    }
    const numeric = (key) => {
      const value = Number(read(key).replace(",", ".").replace("−", "-"));
      if (read(key) === "" || !Number.isFinite(value)) throw new Wrong(at(key), "A number.");
      if (type === "integer" && !Number.isInteger(value)) throw new Wrong(at(key), "A whole number.");
      return value;
    };
    const [low, high] = [numeric("low"), numeric("high")];
    if (!(low < high)) throw new Wrong(at("high"), "More than From.");
    const log = node.querySelector("[data-log]").checked;
    if (log && low <= 0) throw new Wrong(at("low"), "More than 0, if ratios matter.");
    if (read("step") && !(numeric("step") > 0)) throw new Wrong(at("step"), "More than 0, or nothing.");
    return { name: called, type, low, high, ...(log && { log }), ...(read("unit") && { unit: read("unit") }), ...(read("step") && { step: numeric("step") }) };
  });
}

// Files and tables -----------------------------------------------------------------------------------------------------

function choose(given) {
  const all = [...given];
  const wrong = all.find(({ type, size }) => !TYPES.test(type) || size > LARGEST << 20);
  if (wrong) return mark(picker, `${wrong.name}: ${TYPES.test(wrong.type) ? `larger than ${LARGEST} MB` : "not a picture, a sound or a film"}.`);
  const known = new Set(files.map((file) => file.name));
  files = [...files, ...all.filter((file) => !known.has(file.name))].slice(0, MOST_FILES);
  mark(picker, "");
  return listFiles();
}

const chosen = h("ul", { class: "picked" });

function listFiles() {
  chosen.replaceChildren(...files.map((file) => h("li", {}, thumbnailOf(file), h("span", { title: file.name }, file.name), button(icon("bin"), () => {
    files = files.filter((each) => each !== file);
    listFiles();
  }, { class: "plain", "aria-label": `Remove ${file.name}` }))));
}

const picker = h("input", { type: "file", multiple: true, accept: "image/*,audio/*,video/*", onchange: () => choose(picker.files) });
drop.append(field("Pictures, sounds or films", "files", picker, `Drop them here, or choose them: 2 to ${MOST_FILES} files of one kind, at most ${LARGEST} MB each. Nobody sees their names.`), chosen);
drop.addEventListener("dragover", (event) => {
  event.preventDefault();
  drop.classList.add("over");
});
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  choose(event.dataTransfer.files);
});

const csv = h("input", { type: "file", accept: ".csv,text/csv", onchange: () => readTable(csv.files[0]) });
const seen = h("p", { class: "quiet" });
table.append(field("A CSV file", "table", csv, "A line of names, then a line for each thing to choose from. Columns of numbers are learned from."), seen);

async function readTable(file) {
  rows = null;
  seen.textContent = "";
  if (!file) return;
  const { parsed } = await import("./upload.js");
  try {
    rows = parsed(await file.text());
    seen.textContent = `${rows.length} rows: ${Object.keys(rows[0]).join(", ")}.`;
  } catch (error) {
    mark(csv, error.message);
  }
}

// Making it ---------------------------------------------------------------------------------------------------------------

const problem = h("p", { class: "error", role: "alert" });
const submit = h("button", { type: "submit", class: "main big" }, "Create the study");

// Says what is wrong at its field, or above the button if it is no field's fault.
function refuse(path, why, whole = why) {
  const input = [...form.querySelectorAll("[data-path]")].find((each) => each.dataset.path === path);
  submit.disabled = false;
  if (!input || input.closest("[hidden]")) {
    problem.textContent = whole;
    return;
  }
  mark(input, why);
  input.focus();
}

async function make(event) {
  event.preventDefault();
  problem.textContent = "";
  submit.disabled = true;
  try {
    if (!made) made = (await create(body())).name;
    await upload();
    location.assign(`${location.pathname.replace(/\/new$/, "")}/studies/${encodeURIComponent(made)}`);
  } catch (error) {
    if (error instanceof Wrong) refuse(error.path, error.message);
    else if (!(error instanceof Refused)) throw error;
    else if (made) refuse("", `${done} of ${files.length} files are there, then: ${error.message}. Press again to go on.`);
    else if (error.status === 409) refuse("name", "There is a study of this name already.");
    else {
      const [, path, why] = error.message.match(/^([\w[\].]+): (.*)$/s) ?? [null, "", error.message];
      refuse(path, why, error.message);
    }
  }
}

async function upload() {
  if (source() !== "files") return;
  const api = study(made);
  const kind = files[0].type.split("/")[0];
  for (; done < files.length; done++) {
    say(`Uploading ${done + 1} of ${files.length}…`);
    await api.upload(done, { image: "picture", audio: "sound", video: "film" }[kind], files[done]);
  }
}

const step = (no, title, ...content) => h("section", { class: "card step" }, h("h2", {}, h("span", { class: "no" }, String(no)), title), content);
const sources = h("fieldset", { class: "seg" }, h("legend", { class: "away" }, "What they choose between"), Object.entries(SOURCES).map(([value, words]) => h("label", {}, h("input", { type: "radio", name: "source", value, onchange: () => turn() }), words)));
const add = button([icon("plus"), "Add a knob"], () => knob());
const form = h(
  "form",
  { novalidate: true, onsubmit: make },
  step(1, "What do you want to ask?", field("Your question", "question", question, "People read it above every pair. Ask what you would ask a friend."), field("A name for the study", "name", name)),
  step(2, "What are they choosing between?", sources, h("div", { class: "of-knobs" }, h("p", { class: "quiet" }, "Name each knob and how far it may go. The settings to try are picked for you."), knobs, field("", "add", add)), drop, table),
  step(3, "How many answers?", field("About", "comparisons", count, "Thirty are a good start; for files, about three for each."), h("label", { class: "switch", for: "strengths" }, much, " People may also say “much better”")),
  problem,
  h("p", { class: "row" }, submit, h("a", { class: "button big", href: "./" }, "Cancel")),
);

function turn() {
  form.querySelector(".of-knobs").hidden = source() !== "knobs";
  drop.hidden = source() !== "files";
  table.hidden = source() !== "table";
}

const start = location.hash.slice(1);
form.elements.source.value = start in SOURCES ? start : "knobs";
if (start === "example") {
  name.value = EXAMPLE.name;
  question.value = EXAMPLE.question;
  EXAMPLE.variables.forEach(knob);
} else {
  knob();
  knob();
}
turn();
find("#new").replaceChildren(form);
