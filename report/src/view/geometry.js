// SPDX-License-Identifier: GPL-3.0-or-later
/**
 * What a result looks like: from its head, or guessed from the names of its nodes.
 *
 * @typedef {import("./solids.js").Solid} Solid @typedef {import("./beams.js").Beam} Beam @typedef {import("./marks.js").Link} Link
 * @typedef {{solids: Solid[], beams: Beam[], lines: [number, number][], links: Link[], up: number[], scale: number, guessed: boolean,
 *            bodies: {name: string, node: number, colour: number}[]}} Geometry  bodies can be followed and leave trails
 */
import { Quaternion, Vector3 } from "three";
import { sphereOf } from "../data/box.js";

/** Guessed bodies have this part of the scene's size; shapes from an inertia are at least as large as the other. */
const GUESSED = 0.09;
const LEAST = 0.03;
const MOST_OF_ARM = 0.6;
const BAR = 0.012;
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
    if (!out.has(family)) out.set(family, []);
    out.get(family)?.push(i);
  });
  return out;
}

/** @param {import("../data/motion.js").Motion} motion @returns {Geometry} */
export function guessGeometry(motion) {
  const { radius } = sphereOf(motion.box());
  /** @type {Geometry} */
  const out = { solids: [], beams: [], lines: [], links: [], up: [0, 0, 1], scale: Infinity, guessed: true, bodies: [] };
  let colour = 0;
  for (const [name, nodes] of families(motion.names)) {
    const node = nodes[nodes.length >> 1];
    if (nodes.length > 1) out.beams.push({ name, nodes, outlines: [circle(0.012 * radius)], framed: false, colour });
    else out.solids.push({
      kind: "box", node, size: [1, 0.7, 0.45].map((x) => x * GUESSED * 2 * radius), position: [0, 0, 0], quaternion: [1, 0, 0, 0], colour, name,
    });
    out.bodies.push({ name, node, colour: colour++ });
  }
  return out;
}

/**
 * Shapes that only an inertia tells: large enough to be seen, small enough to leave the joints of their body in sight.
 * @param {any} solid @param {number} scale of the scene @param {number[][]} joints of the body
 */
function sizeOf(solid, scale, joints) {
  if (!solid.guessed) return solid.size;
  const largest = Math.max(...solid.size);
  const arm = Math.max(0, ...joints.map((p) => distance(p, solid.position)));
  const wanted = Math.max(LEAST * scale, arm > 0 ? Math.min(largest, MOST_OF_ARM * arm) : largest);
  return largest > 0 ? solid.size.map((/** @type {number} */ x) => x / largest * wanted) : [wanted, wanted, wanted];
}

/** @param {number[]} a @param {number[]} b */
function distance(a, b) {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** A bar from one point of a body to another. @param {Solid} solid @param {number[]} end @param {number} width @returns {Solid} */
function bar(solid, end, width) {
  const d = end.map((x, i) => x - solid.position[i]);
  const length = Math.hypot(d[0], d[1], d[2]);
  const q = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(d[0], d[1], d[2]).divideScalar(length));
  return { ...solid, kind: "cylinder", rgb: undefined, bar: true, size: [width, width, length], quaternion: [q.w, q.x, q.y, q.z],
    position: end.map((x, i) => (x + solid.position[i]) / 2) };
}

/** Solids, and of bodies without a shape of their own bars to their joints. @param {any} head @param {Map<number, number[][]>} joints @returns {Solid[]} */
function dress(head, joints) {
  return head.solids.flatMap((/** @type {any} */ s) => {
    const held = s.node < 0 ? [] : joints.get(s.node) ?? [];
    const solid = { ...s, size: sizeOf(s, head.scale, held) };
    const width = Math.max(BAR * head.scale, 0.12 * Math.max(0, ...held.map((p) => distance(p, s.position))));
    const arms = s.guessed ? held.filter((p) => distance(p, s.position) > LEAST * head.scale) : [];
    return [solid, ...arms.map((p) => bar(solid, p, Math.min(width, 2.5 * BAR * head.scale)))];
  });
}

/** Where joints hold each node. @param {Link[]} links @returns {Map<number, number[][]>} */
function jointsOf(links) {
  /** @type {Map<number, number[][]>} */ const out = new Map();
  for (const { markers, symbol } of links) {
    if (symbol === "arrow" || symbol === "none") continue;
    for (const m of markers) {
      if (!out.has(m.node)) out.set(m.node, []);
      const places = /** @type {number[][]} */ (out.get(m.node));
      if (!places.some((p) => distance(p, m.position) === 0)) places.push(m.position);
    }
  }
  return out;
}

/** @param {any} head geometry of a result @param {(node: number) => boolean} has where nodes are known @returns {Geometry} */
export function readGeometry(head, has) {
  const known = (/** @type {{node: number}} */ part) => part.node < 0 || has(part.node);
  /** @type {Map<string, number>} */ const colours = new Map();
  const colourOf = (/** @type {string} */ name) => {
    if (!colours.has(name)) colours.set(name, colours.size);
    return /** @type {number} */ (colours.get(name));
  };
  const bodies = head.bodies.filter(known).map((/** @type {any} */ b) => ({ ...b, colour: colourOf(b.name) }));
  return {
    bodies, guessed: false, up: head.up, scale: head.scale,
    links: head.links.filter((/** @type {Link} */ l) => l.markers.every(known)),
    lines: head.lines.filter((/** @type {[number, number]} */ ends) => ends.every(has)),
    solids: dress(head, jointsOf(head.links)).filter(known).map((s) => ({ ...s, colour: colourOf(s.name) })),
    beams: head.beams.filter((/** @type {Beam} */ b) => b.nodes.every(has)).map((/** @type {any} */ b) => ({ ...b, colour: colourOf(b.name) })),
  };
}

/** Half of the largest extent of the shapes around their nodes; bars end at joints, which are elsewhere, too. @param {Geometry} geometry */
export function reachOf(geometry) {
  let reach = 0;
  for (const s of geometry.solids)
    if (s.node >= 0 && !s.bar) reach = Math.max(reach, Math.hypot(...s.size) / 2 + Math.hypot(...s.position));
  for (const b of geometry.beams)
    for (const outline of b.outlines) for (const [y, z] of outline) reach = Math.max(reach, Math.hypot(y, z));
  return reach;
}
