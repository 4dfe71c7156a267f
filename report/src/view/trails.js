// SPDX-License-Identifier: GPL-3.0-or-later
import { BufferAttribute, BufferGeometry, Group, Line, LineBasicMaterial } from "three";
import { lastBelow } from "../data/numbers.js";
import { elementColour } from "./colours.js";

/** @typedef {import("../data/motion.js").Motion} Motion */

/** Paths of nodes: the whole one weak, the part behind strong. */
export class Trails {
  /** @param {Motion} motion @param {{node: number, colour: number}[]} nodes @param {{result: number, several: boolean}} look */
  constructor(motion, nodes, look) {
    this.group = new Group();
    this.time = motion.time;
    this.motion = motion;
    this.look = look;
    this.lines = nodes.map(({ node, colour }) => {
      const frames = motion.time.length;
      const points = new Float32Array(3 * frames);
      motion.path(node, points);
      const whole = new BufferGeometry();
      whole.setAttribute("position", new BufferAttribute(points, 3));
      const behind = new BufferGeometry();
      const behindPoints = new BufferAttribute(new Float32Array(3 * (frames + 1)), 3);
      behindPoints.array.set(points);
      behind.setAttribute("position", behindPoints);
      const lines = [new Line(whole, new LineBasicMaterial({ transparent: true, opacity: 0.22 })),
        new Line(behind, new LineBasicMaterial({ transparent: true, opacity: 0.95 }))];
      for (const line of lines) {
        line.frustumCulled = false;
        this.group.add(line);
      }
      return { lines, points, behindPoints, node, colour };
    });
    this.paint();
  }

  paint() {
    for (const { lines, colour } of this.lines)
      for (const line of lines) line.material.color = elementColour(colour, this.look.result, this.look.several);
  }

  /** @param {import("../data/motion.js").Pose} pose @param {number} t */
  place(pose, t) {
    const k = lastBelow(this.time, t);
    for (const { lines, points, behindPoints, node } of this.lines) {
      const array = behindPoints.array;
      const from = 3 * Math.max(0, k - 1);
      array.set(points.subarray(from, 3 * (k + 1)), from);
      array.set(pose.position.subarray(3 * node, 3 * node + 3), 3 * (k + 1));
      if (this.last !== undefined && this.last > k) array.set(points.subarray(0, 3 * (k + 1)));
      else if (this.last !== undefined) array.set(points.subarray(3 * this.last, 3 * (k + 1)), 3 * this.last);
      lines[1].geometry.setDrawRange(0, k + 2);
      behindPoints.needsUpdate = true;
    }
    this.last = k;
  }
}
