// SPDX-License-Identifier: GPL-3.0-or-later
/**
 * A study as the page works with it: its table, what it varies, and the samples that are kept.
 *
 * @typedef {{name: string, unit: string, varied: boolean, place: number}} StudyColumn
 * @typedef {{sample: number, status: string, values: number[]}} Sample  values in the order of the columns, NaN where there is none
 * @typedef {{x: StudyColumn, y: StudyColumn[], by: StudyColumn|null}} StudyPlot
 * @typedef {{definition: any, summary: any, columns: StudyColumn[], samples: Sample[], plots: StudyPlot[], scattered: boolean,
 *            results: Map<number, number>, leftOut: number}} Study  results: index of the result of a kept sample
 * @typedef {import("./results.js").Result} Result
 */
import { parseCsv } from "./csv.js";
import { parseJson } from "./results.js";

/** Designs whose points are on no curve. */
const RANDOM = new Set(["monte_carlo", "latin_hypercube", "sobol", "sobol_indices", "morris"]);

/** @param {any} definition @param {StudyColumn[]} columns @returns {StudyPlot[]} */
function plotsOf(definition, columns) {
  const find = (/** @type {string} */ name) => columns.find((c) => c.name === name);
  const asked = (definition?.plots ?? []).map((/** @type {any} */ plot) => ({
    x: find(plot.x), y: plot.y.map(find).filter(Boolean), by: find(plot.by) ?? null,
  })).filter((/** @type {any} */ plot) => plot.x && plot.y.length);
  if (asked.length) return asked;
  const varied = columns.filter((c) => c.varied);
  const outputs = columns.filter((c) => !c.varied);
  return varied.length ? outputs.map((y) => ({ x: varied[0], y: [y], by: null })) : [];
}

/** @param {import("./decode.js").Store} store @param {Result[]} results @returns {Study|null} null: the page is of results */
export function openStudy(store, results) {
  const head = store.head.study;
  if (!head) return null;
  const file = (/** @type {string} */ name) => (head.files[name] === undefined ? "" : store.text(head.files[name]));
  const definition = parseJson(file("study.json"));
  const [header = [], ...rows] = parseCsv(file("table.csv"));
  const units = { ...definition?.vary, ...definition?.outputs };
  const columns = header.slice(2).map((name, place) => ({
    name, place, unit: units[name]?.unit ?? "", varied: Boolean(definition?.vary?.[name]),
  }));
  const samples = rows.map((row) => ({
    sample: Number(row[0]), status: row[1], values: row.slice(2).map((cell) => (cell === "" ? NaN : Number(cell))),
  }));
  /** @type {Map<number, number>} */
  const kept = new Map();
  for (const result of results) {
    const of = parseJson(result.files["sample.json"]?.());
    if (of) kept.set(of.sample, result.index);
  }
  return {
    definition, summary: parseJson(file("summary.json")), columns, samples, plots: plotsOf(definition, columns),
    scattered: RANDOM.has(definition?.design?.kind), results: kept, leftOut: head.left_out ?? 0,
  };
}

/** A word for a shell. @param {string} word */
function quoted(word) {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** The command that runs the sample alone. @param {Study} study @param {Sample} sample */
export function commandOf(study, sample) {
  const { definition, columns } = study;
  const known = (study.summary?.not_ok ?? []).find((/** @type {any} */ n) => n.sample === sample.sample);
  if (known?.command) return known.command;
  const words = ["torsor", definition.analysis ?? "run", quoted(definition.scene)];
  for (const [path, value] of Object.entries(definition.set ?? {})) words.push("--set", quoted(`${path}=${JSON.stringify(value)}`));
  for (const column of columns.filter((c) => c.varied)) {
    const { path, input } = definition.vary[column.name];
    for (const place of input ? [`inputs.${input}.value`] : [path].flat()) words.push("--set", quoted(`${place}=${sample.values[column.place]}`));
  }
  return words.join(" ");
}

/** @param {Study} study @param {number} sample */
export function messageOf(study, sample) {
  return (study.summary?.not_ok ?? []).find((/** @type {any} */ n) => n.sample === sample)?.message ?? "";
}

const COMPARISONS = /^([A-Za-z_]\w*)(<=|>=|<|>|=)(.+)$/;

/**
 * A test of samples in words with blanks between them, all of which must hold: a status, a number of a sample, or a column with a
 * number as in "T>5".  A text says what is wrong.
 * @param {string} words @param {StudyColumn[]} columns @returns {((sample: Sample) => boolean)|string}
 */
export function filterOf(words, columns) {
  /** @type {((sample: Sample) => boolean)[]} */
  const tests = [];
  for (const word of words.trim().split(/\s+/).filter(Boolean)) {
    const parts = COMPARISONS.exec(word);
    if (!parts) {
      const number = Number(word);
      tests.push(Number.isInteger(number) ? (s) => s.sample === number : (s) => s.status.startsWith(word));
      continue;
    }
    const column = columns.find((c) => c.name === parts[1]);
    const bound = Number(parts[3]);
    if (!column) return `there is no column ${parts[1]}`;
    if (Number.isNaN(bound)) return `${parts[3]} is no number`;
    const value = (/** @type {Sample} */ s) => s.values[column.place];
    /** @type {Record<string, (s: Sample) => boolean>} */
    const compare = { "<": (s) => value(s) < bound, ">": (s) => value(s) > bound, "<=": (s) => value(s) <= bound,
      ">=": (s) => value(s) >= bound, "=": (s) => value(s) === bound };
    tests.push(compare[parts[2]]);
  }
  return (sample) => tests.every((test) => test(sample));
}

/** Curves of a plot: points (x, y) in the order of x, for each value of `by`. @param {Study} study @param {StudyPlot} plot */
export function studyCurves(study, plot) {
  /** @type {{label: string, points: {x: number, y: number, sample: number}[]}[]} */
  const curves = [];
  const { x, by } = plot;
  const groups = by ? [...new Set(study.samples.map((s) => s.values[by.place]))].sort((a, b) => a - b) : [NaN];
  for (const y of plot.y)
    for (const group of groups) {
      const points = study.samples
        .filter((s) => !by || s.values[by.place] === group)
        .map((s) => ({ x: s.values[x.place], y: s.values[y.place], sample: s.sample }))
        .filter((p) => Number.isFinite(p.x) && Number.isFinite(p.y))
        .sort((a, b) => a.x - b.x);
      const label = [plot.y.length > 1 || !by ? y.name : "", by ? `${by.name} = ${group}${by.unit && ` ${by.unit}`}` : ""].filter(Boolean).join(", ");
      if (points.length) curves.push({ label, points });
    }
  return curves;
}

/**
 * Frequencies of modes over a value of the scene, as a study of one curve for each branch, and the lines of the orders that they
 * cross, of a value in rad/s.
 * @param {Result} result @returns {Study|null} null: it is something else
 */
export function campbellStudy(result) {
  if (result.summary?.analysis !== "campbell") return null;
  const names = [...result.columns.keys()].filter((name) => name.endsWith(".frequency_hz"));
  const orders = [...new Set((result.summary.critical ?? []).map((/** @type {any} */ c) => c.order))];
  const titles = [result.variable, ...names.map((n) => n.replace(".frequency_hz", "").replace("_", " ")), ...orders.map((o) => `${o} times the rate`)];
  const columns = titles.map((name, place) => ({ name, place, unit: place ? "Hz" : result.unit, varied: place === 0 }));
  const values = names.map((n) => result.columns.get(n)?.values ?? new Float64Array());
  const samples = Array.from(result.time, (x, k) => ({
    sample: k, status: "ok", values: [x, ...values.map((v) => v[k]), ...orders.map((o) => Number(o) * x / (2 * Math.PI))],
  }));
  return {
    definition: {}, summary: null, columns, samples, plots: [{ x: columns[0], y: columns.slice(1), by: null }], scattered: false,
    results: new Map(), leftOut: 0,
  };
}
