// SPDX-License-Identifier: GPL-3.0-or-later
/** One result in 3D. */
import { Group } from "three";
import { emptyBox, addToBox, sphereOf } from "../data/box.js";
import { makePose } from "../data/motion.js";
import { Beams } from "./beams.js";
import { guessGeometry, readGeometry, reachOf } from "./geometry.js";
import { Lines } from "./lines.js";
import { Arrows, Axes, Links } from "./marks.js";
import { Ropes } from "./ropes.js";
import { Solids } from "./solids.js";
import { Trails } from "./trails.js";
import { linkVectors } from "./vectors.js";

/** @typedef {import("../data/motion.js").Motion} Motion @typedef {import("../data/results.js").Result} Result @typedef {import("../state.js").View} View */

/** Trails of more bodies than this are left out until one is followed. */
const MOST_TRAILS = 60;
/** Parts of the scene's radius. */
const FAR = 3;
const JOINT_SIZE = 0.045;
const ROPE_WIDTH = 0.006;
const AXES_LENGTH = 0.09;
const ARROW_LENGTH = 0.5;

/** Marks among many bodies are small as these are. @param {number} radius @param {import("./geometry.js").Geometry} geometry */
function markSize(radius, geometry) {
  const sizes = geometry.solids.filter((s) => s.node >= 0).map((s) => Math.max(...s.size)).sort((a, b) => a - b);
  const middle = sizes[sizes.length >> 1];
  return Math.min(radius, middle > 0 ? middle * 10 : Infinity);
}

export class Figure {
  /** @param {Result} result @param {Motion} motion @param {boolean} several @param {any} geometry head or null */
  constructor(result, motion, several, geometry) {
    this.result = result;
    this.motion = motion;
    this.several = several;
    this.geometry = geometry ? readGeometry(geometry, motion.has) : guessGeometry(motion);
    this.pose = makePose(motion.nodes);
    this.group = new Group();
  }

  /** Everything that it ever covers. @returns {import("../data/box.js").Box} */
  box() {
    const inner = this.motion.box();
    const reach = reachOf(this.geometry);
    const out = emptyBox();
    for (const corner of [inner.low, inner.high]) addToBox(out, corner[0], corner[1], corner[2], reach);
    const { centre, radius } = sphereOf(out);
    /* what stands on the ground, unless it is far away */
    const near = (/** @type {number[]} */ p) => Math.hypot(...p.map((x, i) => x - centre[i])) < FAR * radius;
    const grounded = [...this.geometry.solids, ...this.geometry.links.flatMap((l) => l.markers)].filter((m) => m.node < 0);
    for (const { position } of grounded) if (near(position)) addToBox(out, position[0], position[1], position[2]);
    return out;
  }

  /** @param {number} radius of the whole scene */
  build(radius) {
    const look = { result: this.result.index, several: this.several };
    const { geometry, motion } = this;
    const mark = markSize(radius, geometry);
    this.solids = new Solids(geometry.solids, look);
    this.beams = new Beams(geometry.beams, look);
    this.lines = new Lines(geometry.lines);
    this.joints = new Links(geometry.links, JOINT_SIZE * mark);
    this.ropes = new Ropes(geometry.links.filter((l) => l.symbol === "rope"), ROPE_WIDTH * mark);
    this.axes = new Axes(motion.nodes, AXES_LENGTH * mark);
    this.trails = new Trails(motion, this.trailed(), look);
    const vectors = linkVectors(this.result, motion, geometry.links);
    this.forces = new Arrows(vectors.force.links, vectors.force.at, { largest: vectors.force.largest, length: ARROW_LENGTH * radius, colour: "force", heads: 1 });
    this.moments = new Arrows(vectors.moment.links, vectors.moment.at, { largest: vectors.moment.largest, length: ARROW_LENGTH * radius, colour: "moment", heads: 2 });
    this.hasForces = vectors.force.links.length > 0;
    this.hasMoments = vectors.moment.links.length > 0;
    this.parts = [this.solids, this.beams, this.lines, this.joints, this.ropes, this.axes, this.trails, this.forces, this.moments];
    this.group.add(...this.parts.map((p) => p.group));
  }

  /** Bodies whose trails are drawn: the middle of a beam would hide much and say little. */
  trailed() {
    const bodies = this.geometry.bodies;
    return bodies.length <= MOST_TRAILS ? bodies : bodies.filter((_, i) => i % Math.ceil(bodies.length / MOST_TRAILS) === 0);
  }

  paint() {
    for (const part of [this.solids, this.beams, this.lines, this.joints, this.ropes, this.trails, this.forces, this.moments]) part?.paint();
  }

  /** @param {View} view @param {number} t */
  show(view, t) {
    this.group.visible = !view.hidden.includes(this.result.index);
    if (!this.group.visible || !this.parts) return;
    this.motion.sample(t, this.pose);
    this.solids?.place(this.pose);
    this.beams?.place(this.pose);
    this.lines?.place(this.pose);
    this.ropes?.place(this.pose);
    this.visible(this.joints, view.joints)?.place(this.pose);
    this.visible(this.axes, view.frames)?.place(this.pose);
    this.visible(this.trails, view.trails)?.place(this.pose, t);
    this.visible(this.forces, view.forces)?.place(this.pose, t, view.arrowScale);
    this.visible(this.moments, view.moments)?.place(this.pose, t, view.arrowScale);
  }

  /** @template {{group: import("three").Object3D}} T @param {T|undefined} part @param {boolean} on @returns {T|undefined} */
  visible(part, on) {
    if (part) part.group.visible = on;
    return on ? part : undefined;
  }

  /** Position of a body, or nothing. @param {string} name */
  whereIs(name) {
    const body = this.geometry.bodies.find((b) => b.name === name);
    return body ? [...this.pose.position.subarray(3 * body.node, 3 * body.node + 3)] : null;
  }
}
