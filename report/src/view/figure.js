// SPDX-License-Identifier: GPL-3.0-or-later
/** One result in 3D. */
import { Group } from "three";
import { emptyBox, addToBox, sphereOf } from "../data/box.js";
import { makePose } from "../data/motion.js";
import { Beams } from "./beams.js";
import { guessGeometry, readGeometry, reachOf } from "./geometry.js";
import { Arrows, Axes, Joints } from "./marks.js";
import { Solids } from "./solids.js";
import { Trails } from "./trails.js";
import { jointVectors } from "./vectors.js";

/** @typedef {import("../data/motion.js").Motion} Motion @typedef {import("../data/results.js").Result} Result @typedef {import("../state.js").View} View */

/** Trails of more bodies than this are left out until one is followed. */
const MOST_TRAILS = 60;
const JOINT_SIZE = 0.035;
const AXES_LENGTH = 0.09;
const ARROW_LENGTH = 0.5;

export class Figure {
  /** @param {Result} result @param {Motion} motion @param {import("../data/decode.js").Store} store @param {boolean} several @param {any} geometry head or null */
  constructor(result, motion, store, several, geometry) {
    this.result = result;
    this.motion = motion;
    this.several = several;
    this.store = store;
    this.geometry = geometry ? readGeometry(geometry) : guessGeometry(motion);
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
    for (const s of this.geometry.solids)
      if (s.node < 0 && Math.hypot(...s.position.map((x, i) => x - centre[i])) < 3 * radius)
        addToBox(out, s.position[0], s.position[1], s.position[2]);
    for (const j of this.geometry.joints) if (j.node < 0) addToBox(out, j.position[0], j.position[1], j.position[2]);
    return out;
  }

  /** @param {number} radius of the whole scene */
  build(radius) {
    const look = { result: this.result.index, several: this.several };
    const { geometry, motion } = this;
    this.solids = new Solids(geometry.solids, this.store, look);
    this.beams = new Beams(geometry.beams, look);
    this.joints = new Joints(geometry.joints, JOINT_SIZE * radius);
    this.axes = new Axes(motion.nodes, AXES_LENGTH * radius);
    this.trails = new Trails(motion, this.trailed(), look);
    const vectors = jointVectors(this.result, geometry.joints);
    this.forces = new Arrows(vectors.force.joints, vectors.force.at, { largest: vectors.force.largest, length: ARROW_LENGTH * radius, colour: "force", heads: 1 });
    this.moments = new Arrows(vectors.moment.joints, vectors.moment.at, { largest: vectors.moment.largest, length: ARROW_LENGTH * radius, colour: "moment", heads: 2 });
    this.hasForces = vectors.force.joints.length > 0;
    this.hasMoments = vectors.moment.joints.length > 0;
    this.parts = [this.solids, this.beams, this.joints, this.axes, this.trails, this.forces, this.moments];
    this.group.add(...this.parts.map((p) => p.group));
  }

  /** Bodies whose trails are drawn: the middle of a beam would hide much and say little. */
  trailed() {
    const bodies = this.geometry.bodies;
    return bodies.length <= MOST_TRAILS ? bodies : bodies.filter((_, i) => i % Math.ceil(bodies.length / MOST_TRAILS) === 0);
  }

  paint() {
    for (const part of [this.solids, this.beams, this.joints, this.trails, this.forces, this.moments]) part?.paint();
  }

  /** @param {View} view @param {number} t */
  show(view, t) {
    this.group.visible = !view.hidden.includes(this.result.index);
    if (!this.group.visible || !this.parts) return;
    this.motion.sample(t, this.pose);
    this.solids?.place(this.pose);
    this.beams?.place(this.pose);
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
