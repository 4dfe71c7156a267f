// SPDX-License-Identifier: GPL-3.0-or-later
import uPlot from "uplot";
import { parseRecords } from "../data/csv.js";
import { format } from "../data/numbers.js";
import { el } from "./dom.js";
import { colour, curveColour, onTheme } from "./theme.js";

/** @typedef {import("../data/results.js").Result} Result */

const MOST_CURVES = 8;

/** Errors by signal. @param {Record<string, string>[]} rows */
function bySignal(rows) {
  /** @type {Map<string, {step: number, error: number, order: number}[]>} */
  const signals = new Map();
  for (const row of rows) {
    const point = { step: Number(row.step), error: Number(row.error), order: row.order ? Number(row.order) : NaN };
    signals.set(row.signal, [...(signals.get(row.signal) ?? []), point]);
  }
  for (const points of signals.values()) points.sort((a, b) => a.step - b.step);
  return signals;
}

/** @param {ReturnType<typeof bySignal>} signals @param {HTMLElement} at */
function draw(signals, at) {
  const chosen = [...signals].slice(0, MOST_CURVES);
  const steps = [...new Set(chosen.flatMap(([, points]) => points.map((p) => p.step)))].sort((a, b) => a - b);
  const columns = chosen.map(([, points]) =>
    steps.map((h) => points.find((p) => p.step === h)?.error || null));
  const axis = { stroke: colour("muted"), grid: { stroke: colour("grid"), width: 1 }, ticks: { show: false },
    font: `11px ${colour("font")}`, values: (/** @type {any} */ _u, /** @type {(number|null)[]} */ v) => v.map((x) => (x ? format(x, 3) : "")) };
  return new uPlot(/** @type {any} */ ({
    width: Math.max(at.clientWidth, 240), height: 280, legend: { show: false }, cursor: { show: false },
    scales: { x: { time: false, distr: 3 }, y: { distr: 3 } },
    axes: [{ ...axis, size: 40, label: "step (s)", labelSize: 16, labelFont: axis.font }, { ...axis, size: 74 }],
    series: [{}, ...chosen.map(([label], i) => ({ label, stroke: curveColour(i), width: 1.75, points: { show: true, size: 6 } }))],
  }), /** @type {any} */ ([steps, ...columns]), at);
}

/** @param {ReturnType<typeof bySignal>} signals */
function table(signals) {
  const steps = [...new Set([...signals.values()].flatMap((points) => points.map((p) => p.step)))].sort((a, b) => b - a);
  return el("div", { class: "plot-table", tabindex: "0", role: "region", "aria-label": "Errors and orders" },
    el("table", {}, el("caption", {}, "Largest error at each step, and the observed order"),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "signal"),
        ...steps.map((h) => el("th", { scope: "col" }, `h = ${format(h, 3)}`)), el("th", { scope: "col" }, "order"))),
      el("tbody", {}, ...[...signals].map(([name, points]) => el("tr", {}, el("th", { scope: "row" }, name),
        ...steps.map((h) => el("td", {}, format(points.find((p) => p.step === h)?.error, 3))),
        el("td", {}, format(points.find((p) => !Number.isNaN(p.order))?.order, 3)))))));
}

/** Error over step, where the folder has convergence.csv. @param {Result} result */
function study(result) {
  const text = result.files["convergence.csv"]?.();
  const signals = text ? bySignal(parseRecords(text)) : new Map();
  if (!signals.size) return null;
  const drawing = el("div", { class: "plot", role: "img", "aria-label": `Errors of ${result.label} over the step, both logarithmic; the table has the numbers` });
  const legend = el("ul", { class: "legend" }, ...[...signals.keys()].slice(0, MOST_CURVES).map((name, i) =>
    el("li", {}, el("span", { class: `swatch curve-${i}`, "aria-hidden": "true" }), el("span", { class: "curve-label" }, name))));
  /** @type {uPlot|null} */ let plot = null;
  const redraw = () => {
    plot?.destroy();
    plot = drawing.clientWidth ? draw(signals, drawing) : null;
  };
  onTheme(redraw);
  new ResizeObserver(redraw).observe(drawing);
  return el("article", { class: "card" }, el("h3", {}, result.label), legend, drawing, table(signals));
}

/** @param {Result[]} results */
export function convergenceSection(results) {
  const studies = results.map(study).filter(Boolean);
  if (!studies.length) return null;
  return el("section", { class: "convergence", id: "convergence", "aria-labelledby": "convergence-title" },
    el("div", { class: "section-head" }, el("h2", { id: "convergence-title" }, "Convergence")),
    el("div", { class: "cards" }, ...studies));
}
