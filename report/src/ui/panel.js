// SPDX-License-Identifier: GPL-3.0-or-later
import uPlot from "uplot";
import { format, lastBelow } from "../data/numbers.js";
import { tellTime } from "../data/results.js";
import { choice, el, iconButton } from "./dom.js";
import { alignedData, curvesOf, tellScale, usualScale } from "./series.js";
import { colour, curveColour } from "./theme.js";

/** @typedef {import("../data/results.js").Result} Result @typedef {import("../data/results.js").Group} Group @typedef {import("./series.js").Scale} Scale */

const HEIGHT = 190;
const TABLE_ROWS = 40;
const DASHES = [[], [8, 4], [2, 3], [8, 3, 2, 3]];

/** Powers of ten as 1e-9 where there is room for no more. @param {any} _u @param {(number|null)[]} values */
const shortNumbers = (_u, values) => values.map((v) => (v === null ? "" : format(v, 6)));

/** One signal over time, its values at the cursor, and a table in place of the drawing. */
export class Panel {
  /**
   * @param {Group} group @param {Result[]} results
   * @param {{seek: (t: number) => void, remove: () => void, zoom: (low: number, high: number) => void}} acts
   */
  constructor(group, results, acts) {
    this.group = group;
    this.results = results;
    this.acts = acts;
    this.curves = curvesOf(group, results);
    /** @type {Scale} */ this.scale = usualScale(group, this.curves);
    this.time = 0;
    /** @type {uPlot|null} */ this.plot = null;
    this.now = el("div", { class: "now-line" });
    this.drawing = el("div", { class: "plot", role: "img" });
    this.table = el("div", { class: "plot-table", hidden: true, tabindex: "0" });
    this.unit = el("span", { class: "panel-unit" });
    this.readings = this.curves.map(() => el("output", { class: "reading" }));
    this.element = el("section", { class: "panel", "aria-label": `Plot of ${group.signal}` },
      this.header(acts.remove), this.legend(), this.drawing, this.table);
    this.draw();
  }

  /** @param {() => void} remove */
  header(remove) {
    const table = iconButton("table", `Table of ${this.group.signal}`, () => this.showTable(this.table.hidden === true));
    table.setAttribute("aria-pressed", "false");
    this.tableButton = table;
    const scale = choice("Scale", [["values", "values"], ["drift", "drift"], ["log", "log |x|"]], this.scale, (v) => {
      this.scale = /** @type {Scale} */ (v);
      this.draw();
    });
    return el("header", { class: "panel-head" },
      el("h3", {}, this.group.signal), this.unit, el("span", { class: "grow" }), scale, table,
      iconButton("close", `Remove the plot of ${this.group.signal}`, remove));
  }

  legend() {
    return el("ul", { class: "legend" }, ...this.curves.map((curve, i) => {
      const kind = curve.result.reference ? "points" : `dash-${curve.dash % DASHES.length}`;
      return el("li", {}, el("span", { class: `swatch ${kind} curve-${curve.colour % 8}`, "aria-hidden": "true" }),
        el("span", { class: "curve-label" }, curve.label), this.readings[i]);
    }));
  }

  /** @returns {uPlot.Series[]} */
  series() {
    return this.curves.map((curve) => ({
      label: curve.label,
      stroke: curveColour(curve.colour),
      width: curve.result.reference ? 0 : 1.75,
      dash: DASHES[curve.dash % DASHES.length],
      spanGaps: false,
      points: curve.result.reference
        ? { show: true, size: 5, fill: colour("surface"), width: 1.25, filter: everySo }
        : { show: false },
    }));
  }

  options() {
    const axis = { stroke: colour("muted"), grid: { stroke: colour("grid"), width: 1 }, ticks: { show: false },
      font: `11px ${colour("font")}`, values: shortNumbers };
    return /** @type {uPlot.Options} */ ({
      width: Math.max(this.drawing.clientWidth, 200),
      height: HEIGHT,
      legend: { show: false },
      cursor: { x: true, y: false, points: { size: 6 }, drag: { x: false, y: false, setScale: false },
        sync: { key: "torsor", scales: ["x", null] } },
      scales: { x: { time: false }, y: this.scale === "log" ? { distr: 3 } : {} },
      axes: [{ ...axis, size: 26, gap: 2 }, { ...axis, size: 74, gap: 4 }],
      series: [{}, ...this.series()],
    });
  }

  draw() {
    const { x, y } = alignedData(this.curves, this.scale);
    const before = this.plot && { min: this.plot.scales.x.min, max: this.plot.scales.x.max };
    this.plot?.destroy();
    this.x = x;
    this.plot = new uPlot(this.options(), /** @type {any} */ ([x, ...y]), this.drawing);
    if (before?.min !== undefined && before.max !== undefined)
      this.plot.setScale("x", /** @type {any} */ (before));
    this.plot.over.append(this.now);
    this.listen(this.plot);
    this.unit.textContent = tellScale(this.group, this.scale);
    this.drawing.setAttribute("aria-label", this.describe());
    this.setTime(this.time);
  }

  /** Press or drag: the time goes there; with shift: zoom; twice: all. @param {uPlot} plot */
  listen(plot) {
    const place = (/** @type {PointerEvent} */ e) => plot.posToVal(e.clientX - plot.over.getBoundingClientRect().left, "x");
    let zoomFrom = NaN;
    plot.over.addEventListener("pointerdown", (e) => {
      plot.over.setPointerCapture(e.pointerId);
      zoomFrom = e.shiftKey ? place(e) : NaN;
      if (!e.shiftKey) this.acts.seek(place(e));
    });
    plot.over.addEventListener("pointermove", (e) => {
      if (plot.over.hasPointerCapture(e.pointerId) && Number.isNaN(zoomFrom)) this.acts.seek(place(e));
    });
    plot.over.addEventListener("pointerup", (e) => {
      const to = place(e);
      if (!Number.isNaN(zoomFrom) && to !== zoomFrom) this.acts.zoom(Math.min(zoomFrom, to), Math.max(zoomFrom, to));
      zoomFrom = NaN;
    });
    plot.over.addEventListener("dblclick", () => this.acts.zoom(-Infinity, Infinity));
  }

  /** @param {number} low @param {number} high */
  zoom(low, high) {
    const x = this.x ?? [];
    this.plot?.setScale("x", { min: Math.max(low, x[0]), max: Math.min(high, x[x.length - 1]) });
    this.setTime(this.time);
  }

  /** @param {number} t */
  setTime(t) {
    this.time = t;
    if (!this.plot) return;
    const at = this.plot.valToPos(t, "x");
    const inside = at >= 0 && at <= this.plot.over.clientWidth;
    this.now.hidden = !inside;
    if (inside) this.now.style.transform = `translateX(${at.toFixed(1)}px)`;
    this.curves.forEach((curve, i) => {
      const row = lastBelow(curve.axis, t + 1e-12 * Math.abs(t));
      const value = curve.values[row];
      this.readings[i].textContent = format(this.scale === "drift" ? value - curve.values[0] : value);
    });
  }

  describe() {
    const parts = this.curves.map((curve) => {
      const values = Array.from(curve.values);
      const low = values.reduce((a, b) => Math.min(a, b), Infinity);
      const high = values.reduce((a, b) => Math.max(a, b), -Infinity);
      return `${curve.label} from ${format(low)} to ${format(high)}`;
    });
    return `${this.group.signal} over ${this.results[0].variable}: ${parts.join("; ")}. The table button shows the numbers.`;
  }

  /** @param {boolean} show */
  showTable(show) {
    this.table.hidden = !show;
    this.drawing.hidden = show;
    this.tableButton?.setAttribute("aria-pressed", String(show));
    this.table.replaceChildren();
    if (show) this.table.append(this.buildTable());
    else this.resize();
  }

  buildTable() {
    const { result: first, axis } = this.curves[0];
    const rows = axis.length;
    const every = Math.max(1, Math.ceil(rows / TABLE_ROWS));
    const body = el("tbody");
    for (let i = 0; i < rows; i += every) {
      const t = axis[i];
      body.append(el("tr", {}, el("th", { scope: "row" }, tellTime(t, first)),
        ...this.curves.map((c) => el("td", {}, format(c.values[lastBelow(c.axis, t)], 8)))));
    }
    const caption = `${this.group.signal}${this.group.unit ? `, ${this.group.unit}` : ""}${every > 1 ? `: one of every ${every} of ${rows} rows` : ""}`;
    return el("table", {}, el("caption", {}, caption),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, first.variable),
        ...this.curves.map((c) => el("th", { scope: "col" }, c.label)))), body);
  }

  resize() {
    if (!this.plot || !this.drawing.clientWidth) return;
    this.plot.setSize({ width: this.drawing.clientWidth, height: HEIGHT });
    this.setTime(this.time);
  }

  destroy() {
    this.plot?.destroy();
    this.element.remove();
  }
}

/** No more points than can be told apart. @type {uPlot.Series.Points.Filter} */
const everySo = (_u, _i, show, gaps) => {
  if (show === false) return null;
  const [from, to] = Array.isArray(gaps) && gaps.length === 2 && typeof gaps[0] === "number" ? /** @type {any} */ (gaps) : [0, _u.data[0].length - 1];
  const step = Math.max(1, Math.round((to - from) / 40));
  const out = [];
  for (let i = from; i <= to; ++i) if (_u.data[_i][i] !== null && _u.data[_i][i] !== undefined && out.length * step <= i - from) out.push(i);
  return out;
};
