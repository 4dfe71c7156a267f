// SPDX-License-Identifier: GPL-3.0-or-later
/**
 * Modes of a folder of `torsor modes`, as motions over one period.
 *
 * @typedef {{index: number, kind: string, unstable: boolean, frequency: number, damping: number, re: number, im: number}} Mode
 * @typedef {import("./results.js").Result} Result
 * @typedef {import("./motion.js").Motion} Motion
 */
import { addToBox, emptyBox, sphereOf } from "./box.js";
import { parseCsv, parseRecords } from "./csv.js";

/** The largest amplitude is drawn as this part of the scene's size. */
const SHOWN = 0.12;
/** ... and turns a node by at most so much, rad. */
const MOST_TURN = 0.6;

/** @param {Result} result @returns {Mode[]} */
export function modesOf(result) {
  const text = result.files["modes.csv"]?.();
  if (!text) return [];
  return parseRecords(text).map((row) => ({
    index: Number(row.index), kind: row.kind, unstable: row.unstable === "1", frequency: Number(row.frequency_hz),
    damping: Number(row.damping_ratio), re: Number(row.eigenvalue_re), im: Number(row.eigenvalue_im),
  })).filter((m) => result.files[shapeFile(m.index)]);
}

/** @param {number} index */
function shapeFile(index) {
  return `mode_${String(index).padStart(3, "0")}.csv`;
}

/** Columns of a shape, by name. @param {string} text */
function shapeColumns(text) {
  const [header, ...rows] = parseCsv(text);
  const place = new Map(header.map((name, i) => [name, i]));
  return {
    count: rows.length,
    bodies: rows.map((row) => row[place.get("node") ?? 0]),
    /** @param {string} name */
    column: (name) => Float64Array.from(rows, (row) => Number(row[/** @type {number} */ (place.get(name))] ?? 0)),
  };
}

/** @param {ReturnType<typeof shapeColumns>} shape @param {string} name @param {string[]} parts */
function vectors(shape, name, parts) {
  return parts.map((part) => shape.column(`${name}.${part}`));
}

/**
 * A mode as a motion; t in parts of a period, 0 to 1.
 * @param {Result} result @param {number} index @param {() => number} amplitude factor of what is drawn usually
 * @returns {Motion}
 */
export function modeMotion(result, index, amplitude) {
  const shape = shapeColumns(result.files[shapeFile(index)]());
  const axes = ["x", "y", "z"];
  const x = vectors(shape, "position", axes);
  const q = vectors(shape, "quaternion", ["w", ...axes]);
  const [ur, ui] = ["re", "im"].map((part) => vectors(shape, `translation_${part}`, axes));
  const [wr, wi] = ["re", "im"].map((part) => vectors(shape, `rotation_${part}`, axes));
  const box = emptyBox();
  for (let n = 0; n < shape.count; ++n) addToBox(box, x[0][n], x[1][n], x[2][n]);
  const scale = drawnScale(shape.count, sphereOf(box).radius, [ur, ui], [wr, wi]);
  const at = (/** @type {Float64Array} */ re, /** @type {Float64Array} */ im, /** @type {number} */ n, /** @type {number} */ t) =>
    scale * amplitude() * (re[n] * Math.cos(2 * Math.PI * t) - im[n] * Math.sin(2 * Math.PI * t));
  return {
    time: Float64Array.from({ length: 61 }, (_, k) => k / 60), nodes: shape.count, names: shape.bodies, has: () => true,
    sample(t, out) {
      for (let n = 0; n < shape.count; ++n) {
        for (let i = 0; i < 3; ++i) out.position[3 * n + i] = x[i][n] + at(ur[i], ui[i], n, t);
        turn(out.quaternion, n, [0, 1, 2].map((i) => at(wr[i], wi[i], n, t)), q.map((c) => c[n]));
      }
    },
    path(node, out) {
      for (let k = 0; k <= 60; ++k)
        for (let i = 0; i < 3; ++i) out[3 * k + i] = x[i][node] + at(ur[i], ui[i], node, k / 60);
    },
    box: () => box,
  };
}

/** @param {number} count @param {number} size @param {Float64Array[][]} moves @param {Float64Array[][]} turns */
function drawnScale(count, size, moves, turns) {
  const largest = (/** @type {Float64Array[][]} */ parts) => {
    let most = 0;
    for (let n = 0; n < count; ++n) most = Math.max(most, Math.hypot(...parts.flat().map((c) => c[n])));
    return most;
  };
  const move = largest(moves);
  const rotation = largest(turns);
  return Math.min(move > 0 ? SHOWN * 2 * size / move : Infinity, rotation > 0 ? MOST_TURN / rotation : Infinity, 1e12);
}

/** Quaternion n of `out` = exp(w) q, w in inertial axes. @param {Float32Array} out @param {number} n @param {number[]} w @param {number[]} q */
function turn(out, n, w, q) {
  const angle = Math.hypot(w[0], w[1], w[2]);
  const s = angle > 0 ? Math.sin(angle / 2) / angle : 0.5;
  const [a, b, c, d] = [Math.cos(angle / 2), s * w[0], s * w[1], s * w[2]];
  out[4 * n] = a * q[0] - b * q[1] - c * q[2] - d * q[3];
  out[4 * n + 1] = a * q[1] + b * q[0] + c * q[3] - d * q[2];
  out[4 * n + 2] = a * q[2] - b * q[3] + c * q[0] + d * q[1];
  out[4 * n + 3] = a * q[3] + b * q[2] - c * q[1] + d * q[0];
}
