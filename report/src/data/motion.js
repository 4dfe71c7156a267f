// SPDX-License-Identifier: GPL-3.0-or-later
/**
 * Where the nodes are: frames of a simulation, of its signals, or of a mode.
 *
 * @typedef {{position: Float32Array, quaternion: Float32Array}} Pose  [3 nodes], [4 nodes] w x y z
 * @typedef {{time: Float64Array, nodes: number, names: string[], sample: (t: number, out: Pose) => void,
 *            path: (node: number, out: Float32Array) => void, box: () => import("./box.js").Box,
 *            has: (node: number) => boolean, vector?: (i: number, t: number, out: number[]) => void}} Motion
 * @typedef {import("./decode.js").Store} Store
 * @typedef {import("./results.js").Result} Result
 */
import { addToBox, emptyBox } from "./box.js";
import { lastBelow } from "./numbers.js";

/** @param {number} nodes @returns {Pose} */
export function makePose(nodes) {
  const quaternion = new Float32Array(4 * nodes);
  for (let i = 0; i < nodes; ++i) quaternion[4 * i] = 1;
  return { position: new Float32Array(3 * nodes), quaternion };
}

/** Frames k, k + 1 and the part between them at t. @param {Float64Array} time @param {number} t @returns {[number, number, number]} */
function between(time, t) {
  const k = lastBelow(time, t);
  const next = Math.min(k + 1, time.length - 1);
  const gap = time[next] - time[k];
  return [k, next, gap > 0 ? Math.min(1, Math.max(0, (t - time[k]) / gap)) : 0];
}

/** out = a + s (b - a), normalised, by the shorter way. @param {Float32Array} out @param {number} at @param {number[]} a @param {number[]} b @param {number} s */
function blend(out, at, a, b, s) {
  const dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = dot < 0 ? -1 : 1;
  let size = 0;
  for (let i = 0; i < 4; ++i) {
    out[at + i] = a[i] + s * (sign * b[i] - a[i]);
    size += out[at + i] ** 2;
  }
  const scale = size > 0 ? 1 / Math.sqrt(size) : 0;
  for (let i = 0; i < 4; ++i) out[at + i] *= scale;
}

/** @param {{frames: number, value: (series: number, frame: number) => number, turn: ((series: number, frame: number) => number)|null,
 *           time: Float64Array, names: string[], has?: (node: number) => boolean}} source @returns {Motion} */
function motionOf({ frames, value, turn, time, names, has = () => true }) {
  const nodes = names.length;
  const a = [1, 0, 0, 0];
  const b = [1, 0, 0, 0];
  return {
    time, nodes, names, has,
    sample(t, out) {
      const [k, next, s] = between(time, t);
      for (let i = 0; i < 3 * nodes; ++i) {
        const here = value(i, k);
        out.position[i] = here + s * (value(i, next) - here);
      }
      for (let node = 0; turn && node < nodes; ++node) {
        for (let i = 0; i < 4; ++i) {
          a[i] = turn(4 * node + i, k);
          b[i] = turn(4 * node + i, next);
        }
        blend(out.quaternion, 4 * node, a, b, s);
      }
    },
    path(node, out) {
      for (let k = 0; k < frames; ++k) for (let i = 0; i < 3; ++i) out[3 * k + i] = value(3 * node + i, k);
    },
    box() {
      const box = emptyBox();
      const every = Math.max(1, Math.floor(frames / 100));
      for (let k = 0; k < frames; k += every)
        for (let n = 0; n < nodes; ++n) if (has(n)) addToBox(box, value(3 * n, k), value(3 * n + 1, k), value(3 * n + 2, k));
      return box;
    },
  };
}

/** Quantised frames. @param {Store} store @param {any} head of the motion @returns {Motion} */
export function recordedMotion(store, head) {
  const x = store.quantised(head.position);
  const q = store.quantised(head.quaternion);
  const time = store.numbers(head.time);
  const value = (/** @type {number} */ s, /** @type {number} */ k) => x.low[s] + x.scale[s] * x.codes[s * x.count + k];
  const motion = motionOf({
    frames: x.count, time, names: head.names, value,
    turn: (s, k) => q.low[s] + q.scale[s] * q.codes[s * q.count + k],
  });
  const first = 3 * head.names.length; // vectors follow the positions
  motion.vector = (i, t, out) => {
    const [k, next, s] = between(time, t);
    for (let c = 0; c < 3; ++c) {
      const here = value(first + 3 * i + c, k);
      out[c] = here + s * (value(first + 3 * i + c, next) - here);
    }
  };
  return motion;
}

/** Nodes whose positions are among the signals. @param {Result} result @param {string[]|undefined} nodes all of the model, if known @returns {Motion|null} */
export function signalledMotion(result, nodes) {
  if (!result.ascending || result.time.length < 2) return null;
  const columns = new Map([...result.columns].filter(([, c]) => !c.axis)); // those of the rows
  const column = (/** @type {string} */ name) => columns.get(name)?.values;
  const isThere = (/** @type {string} */ n) => ["x", "y", "z"].every((c) => columns.has(`${n}.position.${c}`));
  const told = [...columns.keys()].filter((n) => n.endsWith(".position.x")).map((n) => n.slice(0, -".position.x".length));
  const names = nodes ?? told.filter(isThere);
  const there = names.map(isThere);
  if (!there.some(Boolean)) return null;
  const x = names.flatMap((n) => ["x", "y", "z"].map((c) => column(`${n}.position.${c}`)));
  const q = names.flatMap((n) => ["w", "x", "y", "z"].map((c) => column(`${n}.quaternion.${c}`)));
  return motionOf({
    frames: result.time.length, time: result.time, names, has: (n) => there[n],
    value: (s, k) => x[s]?.[k] ?? 0,
    turn: (s, k) => q[s]?.[k] ?? (s % 4 === 0 ? 1 : 0),
  });
}
