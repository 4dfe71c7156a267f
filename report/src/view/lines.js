// SPDX-License-Identifier: GPL-3.0-or-later
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, LineBasicMaterial, LineSegments } from "three";
import { styleColour } from "./colours.js";

/** Thin lines between pairs of nodes. */
export class Lines {
  /** @param {[number, number][]} pairs */
  constructor(pairs) {
    this.ends = pairs.flat();
    this.position = new BufferAttribute(new Float32Array(3 * this.ends.length), 3).setUsage(DynamicDrawUsage);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", this.position);
    this.group = new LineSegments(geometry, new LineBasicMaterial());
    this.group.frustumCulled = false;
    this.paint();
  }

  paint() {
    this.group.material.color.copy(styleColour("joint"));
  }

  /** @param {import("../data/motion.js").Pose} pose */
  place(pose) {
    this.ends.forEach((n, i) => this.position.array.set(pose.position.subarray(3 * n, 3 * n + 3), 3 * i));
    this.position.needsUpdate = true;
  }
}
