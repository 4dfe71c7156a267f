// SPDX-License-Identifier: GPL-3.0-or-later
/** Forces and moments of joints, among the signals. */
import { lastBelow } from "../data/numbers.js";

/** @typedef {import("../data/results.js").Result} Result @typedef {import("./marks.js").Joint} Joint */

/** The largest arrow belongs to this part of all times: a spike at the start would hide the rest. */
const USUAL = 0.995;

/** @param {Result} result @param {Joint[]} joints @param {"force"|"moment"} kind */
function vectorsOf(result, joints, kind) {
  const columns = joints.map((joint) => ["x", "y", "z"].map((c) => result.columns.get(`${joint.name}.${kind}.${c}`)?.values));
  const there = joints.map((_, i) => i).filter((i) => columns[i].every(Boolean));
  const values = there.map((i) => /** @type {Float64Array[]} */ (columns[i]));
  const sizes = [];
  for (const [x, y, z] of values) for (let k = 0; k < x.length; ++k) sizes.push(Math.hypot(x[k], y[k], z[k]));
  sizes.sort((a, b) => a - b);
  return {
    joints: there.map((i) => joints[i]),
    largest: sizes[Math.floor((sizes.length - 1) * USUAL)] ?? 0,
    /** @param {number} i @param {number} t @param {import("three").Vector3} out */
    at(i, t, out) {
      const k = lastBelow(result.time, t);
      const next = Math.min(k + 1, result.time.length - 1);
      const gap = result.time[next] - result.time[k];
      const s = gap > 0 ? Math.min(1, Math.max(0, (t - result.time[k]) / gap)) : 0;
      const [x, y, z] = values[i].map((v) => v[k] + s * (v[next] - v[k]));
      out.set(x, y, z);
    },
  };
}

/** @param {Result} result @param {Joint[]} joints */
export function jointVectors(result, joints) {
  return { force: vectorsOf(result, joints, "force"), moment: vectorsOf(result, joints, "moment") };
}
