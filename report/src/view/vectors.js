// SPDX-License-Identifier: GPL-3.0-or-later
/** Forces and moments of joints and forces: in the full state, else among the signals. */
import { lastBelow } from "../data/numbers.js";

/**
 * @typedef {import("../data/results.js").Result} Result @typedef {import("./marks.js").Link} Link
 * @typedef {import("../data/motion.js").Motion} Motion
 * @typedef {(t: number, out: number[]) => void} Source
 */

/** The largest arrow belongs to this part of all times: a spike at the start would hide the rest. */
const USUAL = 0.995;
const SAMPLES = 200;

/** @param {Result} result @param {string} name @param {string} kind @returns {Source|undefined} */
function signalSource(result, name, kind) {
  const columns = ["x", "y", "z"].map((c) => result.columns.get(`${name}.${kind}.${c}`)?.values);
  if (!columns.every(Boolean)) return undefined;
  return (t, out) => {
    const k = lastBelow(result.time, t);
    const next = Math.min(k + 1, result.time.length - 1);
    const gap = result.time[next] - result.time[k];
    const s = gap > 0 ? Math.min(1, Math.max(0, (t - result.time[k]) / gap)) : 0;
    columns.forEach((v, i) => { out[i] = v ? v[k] + s * (v[next] - v[k]) : 0; });
  };
}

/** @param {Result} result @param {Motion} motion @param {Link[]} links @param {string} kind */
function vectorsOf(result, motion, links, kind) {
  /** @type {{name: string, kind: string}[]} */ const recorded = result.motion?.vectors ?? [];
  /** @type {Map<string, Source>} */ const sources = new Map();
  recorded.forEach((v, i) => {
    if (v.kind === kind && motion.vector) sources.set(v.name, (t, out) => motion.vector?.(i, t, out));
  });
  const sourceOf = (/** @type {Link} */ link) => sources.get(link.name) ?? signalSource(result, link.name, kind);
  const there = links.map((link) => ({ link, source: sourceOf(link) })).filter((v) => v.source && v.link.markers.length);
  const sizes = [];
  const x = [0, 0, 0];
  const { time } = motion;
  for (let i = 0; i < SAMPLES && there.length; ++i)
    for (const { source } of there) {
      source?.(time[0] + (time[time.length - 1] - time[0]) * i / (SAMPLES - 1), x);
      sizes.push(Math.hypot(x[0], x[1], x[2]));
    }
  sizes.sort((a, b) => a - b);
  return {
    links: there.map((v) => v.link),
    largest: sizes[Math.floor((sizes.length - 1) * USUAL)] ?? 0,
    /** @param {number} i @param {number} t @param {import("three").Vector3} out */
    at(i, t, out) {
      there[i].source?.(t, x);
      out.fromArray(x);
    },
  };
}

/** @param {Result} result @param {Motion} motion @param {Link[]} links */
export function linkVectors(result, motion, links) {
  return { force: vectorsOf(result, motion, links, "force"), moment: vectorsOf(result, motion, links, "moment") };
}
