// Numbers as a plot: a CSV whose first column is the horizontal axis; both candidates on common axes, A solid, B dashed.

import { h, s } from "./dom.js";
import { shown } from "./words.js";

const MOST_PANELS = 4;
const ROOM = { left: 52, right: 12, top: 22, bottom: 34 };

// The columns of a CSV by name; null where it is not numbers.
export function columns(text) {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "").map((line) => line.split(/[,;\t]/).map((cell) => cell.trim()));
  if (lines.length < 2) return null;
  const headed = lines[0].some((cell) => cell === "" || Number.isNaN(Number(cell)));
  const names = headed ? lines[0] : lines[0].map((_, k) => (k ? `y${k}` : "x"));
  const rows = (headed ? lines.slice(1) : lines).map((cells) => cells.map((cell) => (cell === "" ? NaN : Number(cell))));
  const whole = rows.length > 1 && names.length > 1 && rows.every((row) => row.length === names.length);
  if (!whole || rows.some((row) => Number.isNaN(row[0]))) return null;
  return { names, rows };
}

// The two files as one plot that fills its place, or each in its own; `sides` names what is drawn, "a", "b", or "ab".
export function plotted(both, sides, label) {
  const place = h("div", { class: "plot", role: "img", "aria-label": label });
  const draw = () => place.clientWidth && place.replaceChildren(drawing(both, sides, place.clientWidth, place.clientHeight));
  new ResizeObserver(draw).observe(place);
  return place;
}

function drawing(both, sides, width, height) {
  const names = both.a.names.slice(1, 1 + MOST_PANELS);
  const each = height / names.length;
  const xs = extent(["a", "b"].flatMap((side) => both[side].rows.map((row) => row[0])));
  const panels = names.map((name, k) => panel(both, sides, name, k + 1, xs, width, each, k * each));
  return s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, panels);
}

function panel(both, sides, name, column, xs, width, height, top) {
  const ys = extent(["a", "b"].flatMap((side) => both[side].rows.map((row) => row[column])));
  const right = width - ROOM.right;
  const bottom = height - ROOM.bottom;
  const X = scale(xs, ROOM.left, right);
  const Y = scale(ys, bottom, ROOM.top);
  const grid = [
    ticks(ys, Math.max(2, Math.floor(height / 60))).map((y) => [
      s("line", { class: "grid", x1: ROOM.left, x2: right, y1: Y(y), y2: Y(y) }),
      s("text", { x: ROOM.left - 6, y: Y(y) + 4, "text-anchor": "end" }, shown(y)),
    ]),
    ticks(xs, Math.max(2, Math.floor(width / 110))).map((x) => [
      s("line", { class: "grid", x1: X(x), x2: X(x), y1: ROOM.top, y2: bottom }),
      s("text", { x: X(x), y: bottom + 16, "text-anchor": "middle" }, shown(x)),
    ]),
    s("text", { class: "name", x: ROOM.left, y: 14 }, name),
    s("text", { class: "name", x: right, y: bottom + 31, "text-anchor": "end" }, both.a.names[0]),
  ];
  const curves = [...sides].map((side) => s("path", { class: `curve ${side}`, d: path(both[side].rows, column, X, Y) }));
  const legend = sides.length > 1 && [...sides].map((side, k) => {
    const x = right - 56 * (sides.length - k);
    return [s("line", { class: `curve ${side}`, x1: x, x2: x + 28, y1: 10, y2: 10 }), s("text", { class: `legend ${side}`, x: x + 34, y: 14 }, side.toUpperCase())];
  });
  return s("g", { transform: `translate(0 ${top})` }, grid, curves, legend);
}

function path(rows, column, X, Y) {
  let pen = "M";
  let d = "";
  for (const row of rows) {
    if (Number.isNaN(row[column])) pen = "M";
    else {
      d += `${pen}${X(row[0]).toFixed(1)} ${Y(row[column]).toFixed(1)}`;
      pen = "L";
    }
  }
  return d;
}

function extent(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  return high > low ? [low, high] : [low - 1, high + 1];
}

const scale = ([low, high], from, to) => (value) => from + ((value - low) / (high - low)) * (to - from);

function ticks([low, high], about) {
  const rough = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => power * factor >= rough * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high + step * 1e-9; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}
