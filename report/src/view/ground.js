// SPDX-License-Identifier: GPL-3.0-or-later
import { BufferGeometry, Float32BufferAttribute, Group, LineBasicMaterial, LineSegments, Mesh, PlaneGeometry, ShadowMaterial } from "three";
import { niceNear } from "../data/numbers.js";
import { styleColour } from "./colours.js";

const LINES = 24;

/** Lines of a square grid, those through the middle apart. @param {number} cell @param {boolean} strong */
function grid(cell, strong) {
  const points = [];
  const end = LINES / 2 * cell;
  for (let i = -LINES / 2; i <= LINES / 2; ++i) {
    if ((i % 4 === 0) !== strong) continue;
    points.push(-end, i * cell, 0, end, i * cell, 0, i * cell, -end, 0, i * cell, end, 0);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(points, 3));
  return geometry;
}

/** A grid below the scene that takes its shadows; lies in the x-y plane of the group. @param {number} radius of the scene */
export function makeGround(radius) {
  const cell = niceNear(radius / 4);
  const group = new Group();
  const weak = new LineBasicMaterial({ transparent: true, opacity: 0.55, depthWrite: false });
  const strong = new LineBasicMaterial({ transparent: true, opacity: 0.9, depthWrite: false });
  const shadow = new ShadowMaterial({ opacity: 0.16, depthWrite: false });
  const plane = new Mesh(new PlaneGeometry(LINES * cell, LINES * cell), shadow);
  plane.receiveShadow = true;
  plane.renderOrder = -2;
  for (const lines of [new LineSegments(grid(cell, false), weak), new LineSegments(grid(cell, true), strong)]) {
    lines.renderOrder = -1;
    group.add(lines);
  }
  group.add(plane);
  const paint = () => {
    weak.color = styleColour("floor");
    strong.color = styleColour("floor-strong");
  };
  paint();
  return { group, paint, cell };
}
