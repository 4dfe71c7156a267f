// SPDX-License-Identifier: GPL-3.0-or-later
import uPlot from "uplot";
import { format } from "../data/numbers.js";
import { campbellStudy, studyCurves } from "../data/study.js";
import { el } from "./dom.js";
import { colour, curveColour, onTheme } from "./theme.js";

/** @typedef {import("../data/study.js").Study} Study @typedef {import("../data/study.js").StudyPlot} StudyPlot @typedef {import("../state.js").State} State */

const MOST_CURVES = 8;
const HEIGHT = 240;
/** A press so near to a point is one on it, pixels. */
const NEAR = 24;

/** "sway (m)" @param {import("../data/study.js").StudyColumn} column */
const labelOf = (column) => `${column.name}${column.unit && ` (${column.unit})`}`;

/** An output over a varied value.  A press on a point chooses its sample. */
class StudyPanel {
  /** @param {Study} study @param {StudyPlot} plot @param {State} state @param {string} [title] */
  constructor(study, plot, state, title) {
    this.study = study;
    this.shown = plot;
    this.state = state;
    const all = studyCurves(study, plot);
    this.curves = all.slice(0, MOST_CURVES);
    this.name = title || `${plot.y.map((y) => y.name).join(", ")} over ${plot.x.name}`;
    this.dot = el("div", { class: "pick-dot", hidden: true });
    this.drawing = el("div", { class: "plot pick", role: "img", "aria-label": this.describe() });
    const legend = this.curves.length > 1 && el("ul", { class: "legend" }, ...this.curves.map((curve, i) =>
      el("li", {}, el("span", { class: `swatch curve-${i}${study.scattered ? " points" : ""}`, "aria-hidden": "true" }), el("span", { class: "curve-label" }, curve.label))));
    this.element = el("section", { class: "panel study-panel", "aria-label": this.name }, el("h3", {}, this.name), legend, this.drawing,
      all.length > MOST_CURVES && el("p", { class: "hint" }, `${MOST_CURVES} of ${all.length} curves.`));
    /** @type {uPlot|null} */ this.plot = null;
    onTheme(() => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.drawing);
    state.on(["sample"], () => this.mark());
  }

  describe() {
    const parts = this.curves.map(({ label, points }) => {
      const y = points.map((p) => p.y);
      return `${label} from ${format(y.reduce((a, b) => Math.min(a, b), Infinity))} to ${format(y.reduce((a, b) => Math.max(a, b), -Infinity))}`;
    });
    return `${this.name}: ${parts.join("; ")}. The table of samples has the numbers.`;
  }

  /** Names of the outputs, or what all of many have in common. */
  axisOf() {
    const units = [...new Set(this.shown.y.map((y) => y.unit))];
    return this.shown.y.length > 2 && units.length === 1 ? units[0] : this.shown.y.map(labelOf).join(", ");
  }

  /** One axis for all curves; points with the same x stand side by side. */
  data() {
    const points = this.curves.flatMap((curve, i) => curve.points.map((p) => ({ ...p, curve: i }))).sort((a, b) => a.x - b.x);
    const x = points.map((p) => p.x);
    /** @type {(number|undefined)[][]} undefined: the line goes on */
    const y = this.curves.map(() => new Array(points.length).fill(undefined));
    points.forEach((p, k) => { y[p.curve][k] = p.y; });
    return [x, ...y];
  }

  draw() {
    this.plot?.destroy();
    this.plot = null;
    if (!this.drawing.clientWidth) return;
    const { scattered } = this.study;
    const axis = { stroke: colour("muted"), grid: { stroke: colour("grid"), width: 1 }, ticks: { show: false }, font: `11px ${colour("font")}`,
      values: (/** @type {any} */ _u, /** @type {(number|null)[]} */ v) => v.map((x) => (x === null ? "" : format(x, 5))) };
    const logarithmic = this.study.definition?.vary?.[this.shown.x.name]?.scale === "log";
    const plot = new uPlot(/** @type {any} */ ({
      width: this.drawing.clientWidth, height: HEIGHT, hooks: { draw: [() => this.mark()] }, legend: { show: false }, cursor: { show: false },
      scales: { x: { time: false, ...(logarithmic ? { distr: 3 } : {}) } },
      axes: [{ ...axis, size: 40, label: labelOf(this.shown.x), labelSize: 16, labelFont: axis.font },
        { ...axis, size: 74, label: this.axisOf(), labelSize: 16, labelFont: axis.font }],
      series: [{}, ...this.curves.map(({ label, points }, i) => ({
        label, stroke: curveColour(i), width: scattered ? 0 : 1.75, spanGaps: true,
        ...(scattered ? { paths: () => null } : {}), points: { show: scattered || points.length < 200, size: 5, fill: curveColour(i) },
      }))],
    }), /** @type {any} */ (this.data()), this.drawing);
    this.plot = plot;
    plot.over.append(this.dot);
    plot.over.addEventListener("click", (e) => this.pick(e));
  }

  /** @param {MouseEvent} event */
  pick(event) {
    const plot = this.plot;
    if (!plot) return;
    const box = plot.over.getBoundingClientRect();
    let nearest = NEAR;
    let sample = -1;
    for (const { points } of this.curves)
      for (const p of points) {
        const away = Math.hypot(plot.valToPos(p.x, "x") - (event.clientX - box.left), plot.valToPos(p.y, "y") - (event.clientY - box.top));
        if (away < nearest) [nearest, sample] = [away, p.sample];
      }
    if (sample >= 0) this.state.set({ sample });
  }

  /** A ring around the chosen sample. */
  mark() {
    const point = this.curves.flatMap((c) => c.points).find((p) => p.sample === this.state.view.sample);
    this.dot.hidden = !point || !this.plot;
    if (!point || !this.plot) return;
    const [x, y] = [this.plot.valToPos(point.x, "x"), this.plot.valToPos(point.y, "y")];
    this.dot.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
  }
}

/** Branches of modes over a value of the scene. @param {import("../data/results.js").Result[]} results @param {State} state */
export function campbellSection(results, state) {
  const cards = results.flatMap((result) => {
    const study = campbellStudy(result);
    return study ? study.plots.map((plot) => new StudyPanel(study, plot, state, `Campbell diagram of ${result.summary.scene}`).element) : [];
  });
  return cards.length ? el("section", { class: "study", "aria-label": "Campbell diagrams" }, el("div", { class: "study-plots" }, ...cards)) : null;
}

/** @param {Study} study @param {State} state */
export function studyPlots(study, state) {
  if (!study.plots.length) return null;
  return el("div", { class: "study-plots" }, ...study.plots.map((plot) => new StudyPanel(study, plot, state).element));
}
