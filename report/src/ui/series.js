// SPDX-License-Identifier: GPL-3.0-or-later
/**
 * Curves of a panel: values, drifts or sizes of a signal of all results.
 *
 * @typedef {import("../data/results.js").Result} Result
 * @typedef {import("../data/results.js").Group} Group
 * @typedef {"values"|"drift"|"log"} Scale
 * @typedef {{result: Result, name: string, label: string, colour: number, dash: number, values: ArrayLike<number>,
 *            axis: Float64Array}} Curve
 */
import { axisOf, columnName } from "../data/results.js";
import { rangeOf } from "../data/numbers.js";

/** Change below this part of the size is drawn as a drift. */
const LITTLE = 1e-3;

/** @param {Group} group @param {Result[]} results @returns {Curve[]} */
export function curvesOf(group, results) {
  /** @type {Curve[]} */
  const curves = [];
  const alone = group.components.length === 1;
  for (const result of results)
    group.components.forEach((component, i) => {
      const column = result.columns.get(columnName(group, component));
      if (!column) return;
      const parts = [component, results.length > 1 ? result.label : ""].filter(Boolean);
      curves.push({
        result, name: column.name, values: column.values, axis: axisOf(result, column),
        label: parts.join(", ") || group.signal.slice(group.signal.lastIndexOf(".") + 1),
        colour: alone ? result.index : i,
        dash: alone ? 0 : result.index,
      });
    });
  return curves;
}

/** What suits the signal. @param {Group} group @param {Curve[]} curves @returns {Scale} */
export function usualScale(group, curves) {
  if (/residual/.test(group.signal)) return "log";
  let change = 0;
  let size = 0;
  for (const curve of curves) {
    const [low, high] = rangeOf(curve.values);
    change = Math.max(change, high - low);
    size = Math.max(size, Math.abs(low), Math.abs(high));
  }
  return change < LITTLE * size ? "drift" : "values";
}

/** @param {ArrayLike<number>} values @param {Scale} scale @returns {(number|null)[]} */
function scaled(values, scale) {
  const start = values.length ? values[0] : 0;
  return Array.from(values, (x) => {
    if (Number.isNaN(x)) return null;
    if (scale === "drift") return x - start;
    return scale === "log" ? (x === 0 ? null : Math.abs(x)) : x;
  });
}

/**
 * Columns for uPlot: one axis for all curves, gaps where one has no row.
 * @param {Curve[]} curves @param {Scale} scale @returns {{x: number[], y: (number|null|undefined)[][]}}
 */
export function alignedData(curves, scale) {
  const axes = [...new Set(curves.map((c) => c.axis))];
  if (axes.length === 1) return { x: Array.from(axes[0]), y: curves.map((c) => scaled(c.values, scale)) };
  const x = [...new Set(axes.flatMap((axis) => Array.from(axis)))].sort((a, b) => a - b);
  const place = new Map(x.map((t, i) => [t, i]));
  const y = curves.map((curve) => {
    /** @type {(number|null|undefined)[]} undefined: the line goes on */
    const column = new Array(x.length).fill(undefined);
    const values = scaled(curve.values, scale);
    curve.axis.forEach((t, i) => { column[/** @type {number} */ (place.get(t))] = values[i]; });
    return column;
  });
  return { x, y };
}

/** "energy.total − its start" @param {Group} group @param {Scale} scale */
export function tellScale(group, scale) {
  const unit = group.unit ? ` (${group.unit})` : "";
  if (scale === "drift") return `change since the start${unit}`;
  return scale === "log" ? `size, logarithmic${unit}` : unit ? unit.slice(2, -1) : "";
}
