// The form that makes a study: from knobs, from files, or from the rows of a table. Its fields are in new.html.

import { create, Refused, study } from "./api.js";
import { badge } from "./parameters.js";
import { button, find, h, icon, say } from "./dom.js";
import { named, shown, speak, t } from "./words.js";

const LARGEST = Number(find("#new").dataset.mb); // MB of one file, as the server allows
const MOST_FILES = 100;
const SIZE = 96; // px, of a picture's small likeness
const TRIES = 3; // of one upload
const PAUSE = 1000; // ms before the second one
const SECONDS = { pair: 12, "best of 4": 25, "rank 4": 45 }; // that an answer takes, roughly
const MOUNTAINS = 10;
const MOST_ROWS = 5000;
const LARGEST_TABLE = 1_000_000; // letters of its JSON; the server takes a little more

let files = [];
let rows = null; // of a table
let made = null; // the study, once it was created: a second try only uploads what is missing
let done = 0; // files that were uploaded

const at = (id) => find(`#${id}`);
const form = find("#new form");
const chosen = (name) => form.elements[name].value;
let count = 0; // knobs made so far, for their fields' ids

function mark(input, text) {
  const error = input.closest(".field").querySelector(".error");
  error.textContent = text;
  error.id = `${input.id}-error`;
  input.setAttribute("aria-describedby", error.id);
  if (text) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
}

function knob(of = {}) {
  const node = at("knob").content.firstElementChild.cloneNode(true);
  const key = (name) => node.querySelector(`[data-key=${name}]`);
  count += 1;
  for (const input of node.querySelectorAll("[data-key]")) {
    input.id = `knob-${count}-${input.dataset.key}`;
    if (input.previousElementSibling) input.previousElementSibling.htmlFor = input.id;
    if (input.type === "checkbox") input.checked = Boolean(of.log);
    else input.value = of[input.dataset.key] ?? (input.value || "");
  }
  const arrange = () => {
    const listed = /choice|ordinal/.test(key("type").value);
    for (const name of ["low", "high", "unit", "step", "log"]) key(name).parentNode.hidden = listed;
    key("levels").parentNode.hidden = !listed;
  };
  key("type").addEventListener("change", arrange);
  const remove = node.querySelector(".remove");
  remove.append(icon("bin"));
  remove.addEventListener("click", () => {
    node.remove();
    preview();
  });
  at("knobs").append(node);
  arrange();
}

// What the form says ---------------------------------------------------------------------------------------------------

// What is wrong with a field, in the words of its data-wrong, data-wrong2 or data-wrong3.
class Wrong extends Error {
  constructor(path, which = "wrong") {
    super(which);
    this.path = path;
  }
}

function body() {
  const [name, question, comparisons, source] = [at("name").value.trim(), at("question").value.trim(), Number(at("comparisons").value), chosen("source")];
  if (!name) throw new Wrong("name");
  if (name.includes("/")) throw new Wrong("name", "wrong2");
  if (!question) throw new Wrong("question");
  if (!(Number.isInteger(comparisons) && comparisons >= 1)) throw new Wrong("comparisons");
  const pair = chosen("kind") === "pair";
  const common = { name, question, comparisons, ...(at("ratings").checked && { ratings: true }), ...(pair ? { strengths: at("strengths").checked } : { kind: chosen("kind") }) };
  if (source === "files") {
    if (files.length < 2) throw new Wrong("files");
    return { ...common, hide_parameters: true, catalogue: files.map(({ name: file }) => ({ file })), features: ["file"] };
  }
  common.hide_parameters = !at("values").checked;
  if (source === "knobs") return { ...common, variables: variables() };
  if (!rows) throw new Wrong("table");
  return { ...common, catalogue: rows };
}

const read = (node, key) => node.querySelector(`[data-key=${key}]`).value.trim();
const numeric = (text) => (text === "" ? NaN : Number(text.replace(",", ".").replace("−", "-")));
const levelsOf = (node) => read(node, "levels").split(",").map((each) => each.trim()).filter(Boolean);

function variables() {
  const all = [...at("knobs").children];
  if (!all.length) throw new Wrong("add");
  return all.map((node, k) => {
    const refused = (key, which) => new Wrong(`variables[${k}].${key}`, which);
    const [name, type, low, high] = [read(node, "name"), read(node, "type"), numeric(read(node, "low")), numeric(read(node, "high"))];
    if (!name) throw refused("name");
    if (all.slice(0, k).some((other) => read(other, "name") === name)) throw refused("name", "wrong2");
    if (/choice|ordinal/.test(type)) {
      const levels = levelsOf(node);
      if (levels.length < 2) throw refused("levels");
      return { name, type, levels };
    }
    if (Number.isNaN(low)) throw refused("low");
    if (Number.isNaN(high)) throw refused("high");
    if (high <= low) throw refused("high", "wrong2");
    const [log, unit] = [node.querySelector("[data-key=log]").checked, read(node, "unit")];
    const step = read(node, "step") && numeric(read(node, "step"));
    if (step !== "" && !(step > 0)) throw refused("step");
    const [broken] = Object.entries({ low, high, step }).find(([, value]) => type === "integer" && value % 1) ?? [];
    if (broken) throw refused(broken, "wrong3");
    if (log && low <= 0) throw refused("low", "wrong2");
    const steps = step && (high - low) / step;
    if (Math.abs(steps - Math.round(steps)) > 1e-6) throw refused("step", "wrong2");
    return { name, type, low, high, ...(step && { step }), ...(unit && { unit }), ...(log && { log }) };
  });
}

// Files and tables -----------------------------------------------------------------------------------------------------

function choose(given) {
  if (made) return; // its rows are these files
  const all = [...given].map((file) => new File([file], file.name, { type: file.type.replace("/x-", "/") })); // such as audio/x-wav
  const known = ({ type }) => at("files").accept.split(",").includes(type);
  const wrong = all.find((file) => !known(file) || !file.size || file.size > LARGEST << 20);
  const names = new Set(files.map(({ name }) => name));
  const more = wrong ? [] : all.filter(({ name }) => !names.has(name));
  const mixed = new Set([...files, ...more].map(({ type }) => type.split("/")[0])).size > 1;
  const many = files.length + more.length > MOST_FILES;
  const { name } = wrong ?? {};
  mark(at("files"), wrong ? known(wrong) ? t("{name}: empty, or larger than {most} MB.", { name, most: LARGEST }) : t("{name}: not one of the kinds below.", { name }) : mixed ? t("Files of one kind, please: all pictures, all sounds or all films.") : many ? t("At most {most} files.", { most: MOST_FILES }) : "");
  if (!mixed && !many) files.push(...more);
  at("files").value = ""; // the same file may be chosen again
  list();
}

function list() {
  at("mountains").hidden = files.length > 0;
  at("many").textContent = files.length ? t("{count} {count|file|files}", { count: files.length }) : "";
  at("picked").replaceChildren(...files.map((file) => h("li", {}, thumbnailOf(file), h("span", { title: file.name }, file.name), button(icon("bin"), () => {
    files = files.filter((each) => each !== file);
    list();
  }, { class: "plain", "aria-label": t("Remove {name}", file) }))));
  preview();
}

async function readTable([file]) {
  rows = null;
  at("rows").textContent = "";
  try {
    if (file) rows = parsed(await file.text());
    if (rows) at("rows").textContent = t("{count} {count|row|rows}: {names}.", { count: rows.length, names: Object.keys(rows[0]).join(", ") });
  } catch (error) {
    mark(at("table"), error.message);
  }
  preview();
}

// Files that a person chose, and the file that keeps a study -----------------------------------------------------------

// The page's policy allows no address of a local file, so a picture is drawn.
function thumbnailOf(file) {
  if (!file.type.startsWith("image/")) return icon(file.type.startsWith("audio/") ? "sound" : "play");
  const canvas = h("canvas", { width: SIZE, height: SIZE * 0.75, "aria-hidden": "true" });
  window.createImageBitmap(file).then((image) => {
    const scale = Math.max(canvas.width / image.width, canvas.height / image.height);
    const [width, height] = [image.width * scale, image.height * scale];
    canvas.getContext("2d").drawImage(image, (canvas.width - width) / 2, (canvas.height - height) / 2, width, height);
  }, () => undefined);
  return canvas;
}

// The rows of a CSV file as objects; numbers where a whole column is numbers.
function parsed(text) {
  const [comma, [names, ...lines]] = cells(text);
  if (lines.length < 2) throw new Error(t("Two lines at least, below the names."));
  if (new Set(names).size < names.length || names.some((name) => !name)) throw new Error(t("Every column needs a name of its own, in the first line."));
  const odd = lines.findIndex((line) => line.length !== names.length);
  if (odd >= 0) throw new Error(t("Line {line} has {count} {count|value|values}, but there {all|is|are} {all} {all|name|names}.", { line: odd + 2, count: lines[odd].length, all: names.length }));
  const value = comma === ";" ? numeric : (cell) => (cell === "" ? NaN : Number(cell)); // where ; separates, 2,5 is a number
  const numbers = names.map((_, k) => lines.every((line) => Number.isFinite(value(line[k]))));
  const all = lines.map((line) => Object.fromEntries(names.map((name, k) => [name, numbers[k] ? value(line[k]) : line[k]])));
  if (all.length > MOST_ROWS || JSON.stringify(all).length > LARGEST_TABLE) throw new Error(t("This table is too large: leave out lines or columns."));
  return all;
}

function cells(text) {
  const [head] = text.split("\n");
  const comma = head.split(";").length > head.split(",").length ? ";" : ",";
  const lines = [[""]];
  let quoted = false;
  for (let k = 0; k < text.length; k++) {
    const line = lines.at(-1);
    const letter = text[k];
    if (letter === '"' && quoted && text[k + 1] === '"') line[line.length - 1] += text[k++];
    else if (letter === '"') quoted = !quoted;
    else if (letter === comma && !quoted) line.push("");
    else if (letter === "\n" && !quoted) lines.push([""]);
    else if (letter !== "\r" && letter !== "\ufeff") line[line.length - 1] += letter;
  }
  return [comma, lines.map((line) => line.map((cell) => cell.trim())).filter((line) => line.some(Boolean))];
}

// A study as the TOML file that `prefero new` reads; texts are written alike in JSON and TOML.
function toml({ variables = [], catalogue, features, ...settings }) {
  const line = ([key, value]) => `${key} = ${JSON.stringify(value)}\n`;
  const table = (head, of) => `\n${head}\n${Object.entries(of).map(([key, value]) => line([JSON.stringify(key), value])).join("")}`;
  const tables = variables.map(({ name, type, low, high, log, ...more }) => table(`[variables.${JSON.stringify(name)}]`, { kind: type, ...(low !== undefined && { lower: low, upper: high }), ...(log && { scale: "log" }), ...more }));
  const rows = (catalogue ?? []).map((row) => table("[[rows]]", row));
  return Object.entries(settings).map(line).join("") + tables.join("") + (features ? table("[catalogue]", { features }) : "") + rows.join("");
}

// What people will see -------------------------------------------------------------------------------------------------

function preview() {
  const [source, kind] = [chosen("source"), chosen("kind")];
  for (const each of form.querySelectorAll("[data-of]")) each.hidden = each.dataset.of !== source;
  at("strengths").parentNode.hidden = kind !== "pair";
  at("values").parentNode.hidden = source === "files";
  at("asked").textContent = at("question").value;
  const sides = [...(kind === "pair" ? "ab" : "abcd")];
  const all = source === "knobs" ? [...at("knobs").children].map((node) => [read(node, "name"), valuesOf(node)]) : source === "table" && rows ? Object.keys(rows[0]).map((name) => [name, rows.map((row) => row[name])]) : [];
  const values = (k) => (at("values").checked ? all.slice(0, 6).map(([name, list_]) => h("p", { class: "quiet", dir: "auto" }, `${name} `, h("b", {}, String(list_[k % (list_.length || 1)] ?? "…")))) : []);
  at("shown").replaceChildren(
    h("div", { class: "mini" }, sides.map((side, k) => h("div", {}, badge(side), source === "files" ? files.length > k && thumbnailOf(files[k]) : values(k)))),
    h("p", { class: "mini-answers" }, answersOf(kind).map((each) => h("span", {}, each))),
  );
  const minutes = Math.max(1, Math.round((Number(at("comparisons").value) * SECONDS[kind]) / 60));
  at("minutes").textContent = minutes ? t("About {minutes} {minutes|minute|minutes} for one person.", { minutes }) : "";
}

function answersOf(kind) {
  if (kind !== "pair") return [kind === "rank 4" ? t("Press them in order, the best first") : t("Press the best one")];
  const plain = ["a", "same", "b"];
  return (at("strengths").checked ? ["much a", ...plain, "much b"] : plain).map(named);
}

// Values for the preview: some within the range.
function valuesOf(node) {
  if (/choice|ordinal/.test(read(node, "type"))) return levelsOf(node);
  const [low, high, step] = ["low", "high", "step"].map((key) => numeric(read(node, key)));
  const apart = step > 0 ? step : read(node, "type") === "integer" ? 1 : (high - low) / 1000;
  const far = (share) => (node.querySelector("[data-key=log]").checked && low > 0 ? low * ((high / low) ** share - 1) : share * (high - low));
  return Number.isNaN(high - low) ? [] : [0.3, 0.7, 0.5, 0.1].map((share) => `${shown(low + Math.round(far(share) / apart) * apart, 3)} ${read(node, "unit")}`);
}

// Making it ---------------------------------------------------------------------------------------------------------------

function fieldOf(path) {
  const [, k, key] = path?.match(/^variables\[(\d+)\]\.(\w+)/) ?? [];
  return key ? at("knobs").children[k]?.querySelector(`[data-key=${key}]`) : [...form.querySelectorAll("[data-path]")].find((each) => each.dataset.path === path);
}

// Says what is wrong at its field, or above the button if it is no field's fault.
function refuse(path, why, whole = why) {
  const input = fieldOf(path);
  at("create").disabled = false;
  if (!input || input.closest("[hidden]")) at("problem").textContent = whole;
  else {
    mark(input, why);
    input.focus();
  }
}

function failed(error) {
  if (error instanceof Wrong) return refuse(error.path, fieldOf(error.path).dataset[error.message]);
  if (!(error instanceof Refused)) throw error;
  if (made) for (const each of form.elements) each.disabled = each !== at("create"); // the rest of it is decided
  if (made) return refuse("", t("Only {done} of {count} {count|file|files} uploaded: {why}. Press again to go on.", { done, count: files.length, why: error.message }));
  if (error.status === 409) return refuse("name", t("There is a study of this name already."));
  const [, path, why] = error.message.match(/^([\w[\].]+): (.*)$/s) ?? [null, "", error.message];
  return refuse(path, why, error.message);
}

async function make(event) {
  event.preventDefault();
  at("problem").textContent = "";
  at("create").disabled = true;
  try {
    if (!made) made = (await create(body())).name;
    if (chosen("source") === "files") await upload();
    location.assign(`${location.pathname.replace(/\/new$/, "")}/studies/${encodeURIComponent(made)}${chosen("who") === "others" ? "/people" : ""}`);
  } catch (error) {
    failed(error);
  }
}

async function upload() {
  const [api, bar] = [study(made), at("sent")];
  const kind = { image: "picture", audio: "sound", video: "film" }[files[0].type.split("/")[0]];
  bar.hidden = false;
  bar.max = files.length;
  for (let tries = 1; done < files.length; ) {
    bar.value = done;
    say(t("Uploading {now} of {count}…", { now: done + 1, count: files.length }));
    try {
      await api.upload(done, kind, files[done]);
      [done, tries] = [done + 1, 1];
    } catch (error) {
      if (!error.offline || tries >= TRIES) throw error;
      await new Promise((after) => setTimeout(after, PAUSE * tries));
      tries += 1;
    }
  }
}

function keep() {
  try {
    const text = toml(body());
    const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: "application/toml" })), download: `${at("name").value.trim()}.toml` });
    link.click();
    say(t("Saved. prefero new reads this file."));
  } catch (error) {
    failed(error);
  }
}

function called(name, { title }) {
  [at("name").value, at("question").value] = [name, title];
}

function example() {
  called(t("Coffee"), at("example"));
  at("knobs").replaceChildren();
  for (const each of at("coffee").content.querySelectorAll("li")) knob({ ...each.dataset, name: each.textContent, levels: each.title });
  preview();
}

// Pictures to try it with, as if they had been chosen.
async function mountains() {
  called(t("Mountains"), at("mountains"));
  choose(await Promise.all(Array.from({ length: MOUNTAINS }, async (_, k) => {
    const reply = await fetch(new URL(`mountain-${k + 1}.jpg`, import.meta.url));
    return new File([await reply.blob()], t("mountain {number}", { number: k + 1 }), { type: "image/jpeg" });
  })));
}

form.addEventListener("submit", make);
form.addEventListener("input", ({ target }) => {
  if (target.getAttribute("aria-invalid")) mark(target, "");
  preview();
});
at("add").addEventListener("click", () => {
  knob();
  preview();
});
at("example").addEventListener("click", example);
at("mountains").addEventListener("click", mountains);
at("keep").addEventListener("click", keep);
at("files").addEventListener("change", ({ target }) => choose(target.files));
at("table").addEventListener("change", ({ target }) => readTable(target.files));
const drop = find(".drop");
for (const kind of ["dragover", "dragleave", "drop"]) {
  drop.addEventListener(kind, (event) => {
    event.preventDefault();
    drop.classList.toggle("over", kind === "dragover");
    if (kind === "drop") choose(event.dataTransfer.files);
  });
}

await speak(document.documentElement.lang); // as the server did
const start = location.search.slice(1);
form.elements.source.value = start === "table" ? start : ["files", "demo"].includes(start) ? "files" : "knobs";
if (start === "demo") mountains();
knob();
knob();
preview();
