// SPDX-License-Identifier: GPL-3.0-or-later
import { BufferAttribute, BufferGeometry, Group, Line, LineBasicMaterial, Vector2 } from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";
import { lastBelow } from "../data/numbers.js";
import { elementColour } from "./colours.js";

/** @typedef {import("../data/motion.js").Motion} Motion */

const WIDTH = 2.2; // pixels
/** Frames of all trails together: the whole path is drawn by every nth. */
const MOST_POINTS = 200000;

/** Paths of nodes: the whole one weak, the part behind strong. */
export class Trails {
  /** @param {Motion} motion @param {{node: number, colour: number}[]} nodes @param {{result: number, several: boolean}} look */
  constructor(motion, nodes, look) {
    this.group = new Group();
    this.look = look;
    const frames = motion.time.length;
    this.every = Math.max(1, Math.ceil(frames * nodes.length / MOST_POINTS));
    this.time = motion.time.filter((_, k) => k % this.every === 0);
    this.lines = nodes.map(({ node, colour }) => this.addLine(motion, node, colour));
    this.paint();
  }

  /** @param {Motion} motion @param {number} node @param {number} colour */
  addLine(motion, node, colour) {
    const all = new Float32Array(3 * motion.time.length);
    motion.path(node, all);
    const count = this.time.length;
    const points = new Float32Array(3 * count);
    for (let k = 0; k < count; ++k) points.set(all.subarray(3 * k * this.every, 3 * k * this.every + 3), 3 * k);
    const whole = new Line(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.28 }));
    whole.geometry.setAttribute("position", new BufferAttribute(points, 3));
    const pairs = new Float32Array(6 * Math.max(1, count - 1));
    for (let k = 0; k + 1 < count; ++k) pairs.set(points.subarray(3 * k, 3 * k + 6), 6 * k);
    const geometry = new LineSegmentsGeometry();
    geometry.setPositions(pairs);
    const behind = new LineSegments2(geometry, new LineMaterial({ linewidth: WIDTH }));
    const last = new Line(new BufferGeometry(), new LineBasicMaterial());
    const lastPoints = new BufferAttribute(new Float32Array(6), 3);
    last.geometry.setAttribute("position", lastPoints);
    for (const line of [whole, behind, last]) {
      line.frustumCulled = false;
      this.group.add(line);
    }
    return { whole, behind, last, lastPoints, points, node, colour };
  }

  paint() {
    for (const { whole, behind, last, colour } of this.lines) {
      const paint = elementColour(colour, this.look.result, this.look.several);
      for (const line of [whole, behind, last]) line.material.color.copy(paint);
    }
  }

  /** @param {Vector2} size of the canvas, pixels */
  setSize(size) {
    for (const { behind } of this.lines) behind.material.resolution.copy(size);
  }

  /** @param {import("../data/motion.js").Pose} pose @param {number} t */
  place(pose, t) {
    const k = lastBelow(this.time, t);
    for (const { behind, lastPoints, points, node } of this.lines) {
      behind.visible = k > 0;
      behind.geometry.instanceCount = k;
      lastPoints.array.set(points.subarray(3 * k, 3 * k + 3));
      lastPoints.array.set(pose.position.subarray(3 * node, 3 * node + 3), 3);
      lastPoints.needsUpdate = true;
    }
  }
}
