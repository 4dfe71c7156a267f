// SPDX-License-Identifier: GPL-3.0-or-later
/**
 * Results as the page works with them.
 *
 * @typedef {import("./decode.js").Store} Store
 * @typedef {{name: string, unit: string, values: Float64Array, axis?: Float64Array}} Column  axis: where it is not that of
 *           the result's rows
 * @typedef {{signal: string, components: string[], unit: string}} Group  a signal and its columns' last words
 * @typedef {{index: number, label: string, reference: boolean, summary: any, notices: string[],
 *            time: Float64Array, ascending: boolean, variable: string, unit: string, columns: Map<string, Column>,
 *            every: number, motion: any, files: Record<string, () => string>}} Result
 */
import { format } from "./numbers.js";

/** Numbers of full states that are no column of the trajectory. @param {Store} store @param {any} motion @param {boolean} ascending @param {Map<string, Column>} columns */
function addStates(store, motion, ascending, columns) {
  if (!motion?.series?.length) return;
  const time = store.numbers(motion.time);
  const axis = ascending ? time : time.map((_, k) => k * motion.every);
  for (const { names, array } of motion.series)
    store.text(names).split("\n").forEach((line, s) => {
      const [name, unit] = line.split("\t");
      if (!name || columns.has(name)) return;
      columns.set(name, {
        name, unit, axis,
        get values() {
          const { codes, low, scale, count } = store.quantised(array);
          return Float64Array.from({ length: count }, (_, k) => low[s] + scale[s] * codes[s * count + k]);
        },
      });
    });
}

/** Name and unit of what rows are over: time, the load, the value of a sweep of modes. @param {any} summary @returns {[string, string]} */
function axisNames(summary) {
  if (summary?.analysis === "statics") return ["load", ""];
  return summary?.analysis === "campbell" ? [summary.parameter, ""] : ["t", "s"];
}

/** @param {Store} store @param {any} head @param {number} index @returns {Result} */
function openResult(store, head, index) {
  /** @type {Map<string, Column>} */
  const columns = new Map();
  for (const column of head.table?.columns ?? [])
    columns.set(column.name, {
      name: column.name,
      unit: column.unit,
      get values() { return store.numbers(column.array); },
    });
  /** @type {Record<string, () => string>} */
  const files = {};
  for (const [name, array] of Object.entries(head.files ?? {})) files[name] = () => store.text(Number(array));
  const summary = parseJson(files["summary.json"]?.());
  const time = columns.get("t")?.values ?? new Float64Array();
  columns.delete("t");
  const [variable, unit] = axisNames(summary);
  const ascending = time.every((t, i) => i === 0 || t > time[i - 1]);
  addStates(store, head.motion, ascending, columns);
  return {
    index, label: head.label, reference: Boolean(head.reference), summary, columns, files, time, ascending,
    variable, unit,
    every: head.table?.every ?? 1,
    notices: head.notices ?? [],
    motion: head.motion ?? null,
  };
}

/** @param {string|undefined} text @returns {any} null where it is not JSON */
export function parseJson(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

/** @param {Store} store @returns {Result[]} */
export function openResults(store) {
  return store.head.results.map((/** @type {any} */ head, /** @type {number} */ i) => openResult(store, head, i));
}

const COMPONENTS = new Set(["x", "y", "z", "w"]);

/** Signals of all results, components gathered: "top.position" with x, y, z. @param {Result[]} results @returns {Group[]} */
export function groupSignals(results) {
  /** @type {Map<string, Group>} */
  const groups = new Map();
  for (const result of results)
    for (const column of result.columns.values()) {
      const dot = column.name.lastIndexOf(".");
      const last = column.name.slice(dot + 1);
      const isComponent = dot > 0 && (COMPONENTS.has(last) || /^\d+$/.test(last));
      const signal = isComponent ? column.name.slice(0, dot) : column.name;
      const group = groups.get(signal) ?? { signal, components: [], unit: column.unit };
      const component = isComponent ? last : "";
      if (!group.components.includes(component)) group.components.push(component);
      group.unit ||= column.unit;
      groups.set(signal, group);
    }
  return [...groups.values()];
}

/** Full name of a column of a group. @param {Group} group @param {string} component */
export function columnName(group, component) {
  return component ? `${group.signal}.${component}` : group.signal;
}

/** Range of time of results. @param {Result[]} results @param {number[]} more times of other things @returns {[number, number]} */
export function timeRange(results, more) {
  let low = Infinity;
  let high = -Infinity;
  const take = (/** @type {number} */ t) => {
    if (t < low) low = t;
    if (t > high) high = t;
  };
  for (const result of results)
    if (result.ascending && result.time.length) {
      take(result.time[0]);
      take(result.time[result.time.length - 1]);
    } else if (result.time.length) {
      take(0);
      take(result.time.length - 1);
    }
  more.forEach(take);
  return low <= high ? [low, high] : [0, 1];
}

/** The values along the axis: time, or numbers of rows where the load turns back. @param {Result} result @param {Column} column */
export function axisOf(result, column) {
  return column.axis ?? rowsOf(result);
}

/** @type {WeakMap<Result, Float64Array>} */
const numbered = new WeakMap();

/** The same array whenever it is asked for. @param {Result} result */
function rowsOf(result) {
  if (result.ascending) return result.time;
  const rows = numbered.get(result) ?? Float64Array.from(result.time, (_, i) => i);
  numbered.set(result, rows);
  return rows;
}

/** "t = 0.5 s" @param {number} t @param {Result|undefined} result */
export function tellTime(t, result) {
  if (result && !result.ascending) return `row ${Math.round(t)}`;
  const unit = result?.unit ?? "s";
  return `${result?.variable ?? "t"} = ${format(t)}${unit ? ` ${unit}` : ""}`;
}
