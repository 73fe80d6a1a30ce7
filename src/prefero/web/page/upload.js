// Files that a person chose: a small likeness of a picture, and the rows of a CSV file.

import { h, icon } from "./dom.js";
import { t } from "./texts.js";

const SIZE = 96; // px

// The page's policy allows no address of a local file, so a picture is drawn.
export function thumbnailOf(file) {
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
export function parsed(text) {
  const [names, ...lines] = cells(text);
  if (!lines.length) throw new Error(t("The file has no rows below its names."));
  if (new Set(names).size < names.length || names.some((name) => !name)) throw new Error(t("Every column needs a name of its own, in the first line."));
  const odd = lines.findIndex((line) => line.length !== names.length);
  if (odd >= 0) throw new Error(t("Line {line} has {count} {count|value|values}, but there {all|is|are} {all} {all|name|names}.", { line: odd + 2, count: lines[odd].length, all: names.length }));
  const numeric = names.map((_, k) => lines.every((line) => line[k] !== "" && Number.isFinite(Number(line[k]))));
  return lines.map((line) => Object.fromEntries(names.map((name, k) => [name, numeric[k] ? Number(line[k]) : line[k]])));
}

function cells(text) {
  const comma = (text.split("\n")[0].match(/;/g) ?? []).length > (text.split("\n")[0].match(/,/g) ?? []).length ? ";" : ",";
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
  return lines.map((line) => line.map((cell) => cell.trim())).filter((line) => line.some(Boolean));
}

// A study as the TOML file that `prefero new` reads; texts are written alike in JSON and TOML.
export function toml({ variables = [], catalogue, features, ...settings }) {
  const line = ([key, value]) => `${key} = ${JSON.stringify(value)}\n`;
  const table = (head, of) => `\n${head}\n${Object.entries(of).map(([key, value]) => line([JSON.stringify(key), value])).join("")}`;
  const tables = variables.map(({ name, type, low, high, log, ...more }) => table(`[variables.${JSON.stringify(name)}]`, { kind: type, ...(low !== undefined && { lower: low, upper: high }), ...(log && { scale: "log" }), ...more }));
  const rows = (catalogue ?? []).map((row) => table("[[rows]]", row));
  return Object.entries(settings).map(line).join("") + tables.join("") + (features ? table("[catalogue]", { features }) : "") + rows.join("");
}
