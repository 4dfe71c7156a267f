// SPDX-License-Identifier: GPL-3.0-or-later
/**
 * What a result looks like: from its head, or guessed from the names of its nodes.
 *
 * @typedef {import("./solids.js").Solid} Solid @typedef {import("./beams.js").Beam} Beam @typedef {import("./marks.js").Joint} Joint
 * @typedef {{solids: Solid[], beams: Beam[], joints: Joint[], up: number[], guessed: boolean,
 *            bodies: {name: string, node: number, colour: number}[]}} Geometry  bodies can be followed and leave trails
 */
import { sphereOf } from "../data/box.js";

/** Guessed bodies have this part of the scene's size. */
const GUESSED = 0.09;
const ROUND = 24;

/** @param {number} radius */
function circle(radius) {
  return Array.from({ length: ROUND }, (_, i) => {
    const angle = 2 * Math.PI * i / ROUND;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}

/** Node names by what stands before "[". @param {string[]} names @returns {Map<string, number[]>} */
function families(names) {
  /** @type {Map<string, number[]>} */ const out = new Map();
  names.forEach((name, i) => {
    const family = /^(.*)\[\d+\]$/.exec(name)?.[1] ?? name;
    out.set(family, [...(out.get(family) ?? []), i]);
  });
  return out;
}

/** @param {import("../data/motion.js").Motion} motion @returns {Geometry} */
export function guessGeometry(motion) {
  const { radius } = sphereOf(motion.box());
  /** @type {Geometry} */
  const out = { solids: [], beams: [], joints: [], up: [0, 0, 1], guessed: true, bodies: [] };
  let colour = 0;
  for (const [name, nodes] of families(motion.names)) {
    const node = nodes[nodes.length >> 1];
    if (nodes.length > 1) out.beams.push({ name, nodes, outlines: [circle(0.012 * radius)], colour });
    else out.solids.push({
      kind: "box", node, size: [1, 0.7, 0.45].map((x) => x * GUESSED * 2 * radius), position: [0, 0, 0], quaternion: [1, 0, 0, 0], colour, name,
    });
    out.bodies.push({ name, node, colour: colour++ });
  }
  return out;
}

/** @param {any} head geometry of a result @returns {Geometry} */
export function readGeometry(head) {
  /** @type {Map<string, number>} */ const colours = new Map();
  const colourOf = (/** @type {string} */ name) => {
    if (!colours.has(name)) colours.set(name, colours.size);
    return /** @type {number} */ (colours.get(name));
  };
  const bodies = head.bodies.map((/** @type {any} */ b) => ({ ...b, colour: colourOf(b.name) }));
  return {
    bodies, guessed: false, up: head.up, joints: head.joints,
    solids: head.solids.map((/** @type {any} */ s) => ({ ...s, colour: colourOf(s.name) })),
    beams: head.beams.map((/** @type {any} */ b) => ({ ...b, colour: colourOf(b.name) })),
  };
}

/** Half of the largest extent of the shapes around their nodes. @param {Geometry} geometry */
export function reachOf(geometry) {
  let reach = 0;
  for (const s of geometry.solids)
    if (s.node >= 0) reach = Math.max(reach, Math.hypot(...s.size) / 2 + Math.hypot(...s.position));
  for (const b of geometry.beams)
    for (const outline of b.outlines) for (const [y, z] of outline) reach = Math.max(reach, Math.hypot(y, z));
  return reach;
}
