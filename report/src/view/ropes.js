// SPDX-License-Identifier: GPL-3.0-or-later
/**
 * Ropes: straight between the points where they leave a sheave and arrive at the next one, round about the sheaves.
 *
 * @typedef {import("../data/motion.js").Pose} Pose @typedef {import("./marks.js").Link} Link @typedef {import("./marks.js").Marker} Marker
 * @typedef {{x: Vector3, q: Quaternion, radius: number, sense: number, arrives: number, leaves: number}} Station
 *   a place on its path; with a radius a circle about z, on which the rope arrives and leaves at these angles from x, rad
 */
import { CylinderGeometry, Group, InstancedMesh, Matrix4, MeshStandardMaterial, Quaternion, Vector3 } from "three";
import { styleColour } from "./colours.js";
import { markerFrame } from "./marks.js";

const Z = new Vector3(0, 0, 1);
/** Passes from one sheave to the other, which find where the rope touches both. */
const PASSES = 8;
/** Pieces of an arc. */
const ARC = 16;

/** A point on the circle of a station, or the station. @param {Station} s @param {number} angle */
function rim(s, angle) {
  return new Vector3(s.radius * Math.cos(angle), s.radius * Math.sin(angle), 0).applyQuaternion(s.q).add(s.x);
}

/** The angle at which a rope to or from `other` touches the circle: side 1 where it arrives, -1 where it leaves. @param {Station} s @param {Vector3} other @param {number} side */
function touch(s, other, side) {
  const d = other.clone().sub(s.x).applyQuaternion(s.q.clone().invert());
  return Math.atan2(d.y, d.x) + side * s.sense * Math.acos(Math.min(1, s.radius / Math.hypot(d.x, d.y)));
}

/** The corners of a rope's path. @param {Station[]} path @returns {Vector3[]} */
export function cornersOf(path) {
  for (let i = 0; i + 1 < path.length; ++i) {
    const [a, b] = [path[i], path[i + 1]];
    let at = b.x;
    for (let pass = 0; pass < PASSES; ++pass) {
      if (a.radius > 0) a.leaves = touch(a, at, -1);
      if (b.radius > 0) b.arrives = touch(b, rim(a, a.leaves), 1);
      at = rim(b, b.arrives);
    }
  }
  const turn = 2 * Math.PI;
  return path.flatMap((s, k) => {
    if (!(s.radius > 0)) return [s.x];
    if (k === 0) return [rim(s, s.leaves)];
    if (k + 1 === path.length) return [rim(s, s.arrives)];
    const wrap = ((s.sense * (s.leaves - s.arrives)) % turn + turn) % turn;
    return Array.from({ length: ARC + 1 }, (_, i) => rim(s, s.arrives + s.sense * wrap * i / ARC));
  });
}

export class Ropes {
  /** @param {Link[]} links of ropes @param {number} width */
  constructor(links, width) {
    this.links = links;
    this.width = width;
    this.group = new Group();
    this.material = new MeshStandardMaterial({ roughness: 0.6 });
    const piece = new CylinderGeometry(0.5, 0.5, 1, 8).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    this.meshes = links.map((link) => {
      const mesh = new InstancedMesh(piece, this.material, (ARC + 1) * link.markers.length);
      mesh.frustumCulled = false;
      mesh.userData.names = [link.name];
      this.group.add(mesh);
      return mesh;
    });
    this.paint();
  }

  paint() {
    this.material.color.copy(styleColour("joint"));
  }

  /** @param {Pose} pose */
  place(pose) {
    const m = new Matrix4(), q = new Quaternion(), d = new Vector3(), scale = new Vector3();
    this.links.forEach((link, i) => {
      const corners = cornersOf(link.markers.map((marker) => {
        const s = { x: new Vector3(), q: new Quaternion(), radius: marker.radius ?? 0, sense: marker.sense ?? 0, arrives: 0, leaves: 0 };
        markerFrame(s.x, s.q, pose, marker);
        return s;
      }));
      const mesh = this.meshes[i];
      mesh.count = corners.length - 1;
      for (let k = 0; k + 1 < corners.length; ++k) {
        const length = d.subVectors(corners[k + 1], corners[k]).length();
        q.setFromUnitVectors(Z, length > 0 ? d.divideScalar(length) : Z);
        mesh.setMatrixAt(k, m.compose(corners[k], q, scale.set(this.width, this.width, length)));
      }
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    });
  }
}
