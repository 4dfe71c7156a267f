// SPDX-License-Identifier: GPL-3.0-or-later
/**
 * Things that are drawn at nodes and markers: axes, joints, springs, arrows of forces and moments.
 *
 * @typedef {import("../data/motion.js").Pose} Pose
 * @typedef {{node: number, position: number[], quaternion: number[], radius?: number, sense?: number}} Marker  node -1: the ground;
 *   with a radius a sheave about z, on which a rope runs counterclockwise (sense 1) or clockwise (-1)
 * @typedef {{name: string, type: string, symbol: string, markers: Marker[], axes: number[][]}} Link  a joint or a force
 */
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CatmullRomCurve3, ConeGeometry, CylinderGeometry, DynamicDrawUsage, Group,
  InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, MeshStandardMaterial, OctahedronGeometry, Quaternion, SphereGeometry,
  TorusGeometry, TubeGeometry, Vector3,
} from "three";
import { styleColour } from "./colours.js";
import { nodeQuaternion, quaternionOf } from "./solids.js";

const AXES = [[0.86, 0.2, 0.2], [0.18, 0.6, 0.3], [0.15, 0.42, 0.9]];
const Z = new Vector3(0, 0, 1);
/** More links than this cast no shadow. */
const CROWD = 200;

/** Axes x, y, z in red, green, blue at each node. */
export class Axes {
  /** @param {number} nodes @param {number} length */
  constructor(nodes, length) {
    this.nodes = nodes;
    this.length = length;
    const geometry = new BufferGeometry();
    this.position = new BufferAttribute(new Float32Array(18 * nodes), 3).setUsage(DynamicDrawUsage);
    const colours = new Float32Array(18 * nodes);
    for (let i = 0; i < 6 * nodes; ++i) colours.set(AXES[(i >> 1) % 3], 3 * i);
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("color", new BufferAttribute(colours, 3));
    this.group = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true }));
    this.group.frustumCulled = false;
  }

  /** @param {Pose} pose */
  place(pose) {
    const q = new Quaternion();
    const e = new Vector3();
    const out = this.position.array;
    for (let n = 0; n < this.nodes; ++n)
      for (let k = 0; k < 3; ++k) {
        e.set(0, 0, 0).setComponent(k, this.length).applyQuaternion(nodeQuaternion(q, pose, n));
        for (let i = 0; i < 3; ++i) {
          const x = pose.position[3 * n + i];
          out[18 * n + 6 * k + i] = x;
          out[18 * n + 6 * k + 3 + i] = x + e.getComponent(i);
        }
      }
    this.position.needsUpdate = true;
  }
}

/** A spring of the diameter and length 1 along z: its wire is round where it is this much longer than wide. */
function coil() {
  const slender = 4;
  const points = Array.from({ length: 145 }, (_, i) => {
    const s = i / 144;
    const r = 0.5 * Math.min(1, s / 0.05, (1 - s) / 0.05);
    const angle = 2 * Math.PI * 8 * s;
    return new Vector3(r * Math.cos(angle), r * Math.sin(angle), slender * s);
  });
  return new TubeGeometry(new CatmullRomCurve3(points), 260, 0.08, 8).scale(1, 1, 1 / slender);
}

/** Symbols of size 1, with their axis along z. @type {Record<string, () => BufferGeometry>} */
const SYMBOLS = {
  ball: () => new SphereGeometry(0.5, 24, 16),
  hinge: () => new CylinderGeometry(0.34, 0.34, 1.5, 28).rotateX(Math.PI / 2),
  cylinder: () => new CylinderGeometry(0.28, 0.28, 2.4, 28).rotateX(Math.PI / 2),
  screw: () => new CylinderGeometry(0.3, 0.3, 2.4, 6).rotateX(Math.PI / 2),
  slider: () => new BoxGeometry(0.55, 0.55, 1.8),
  cross: () => new TorusGeometry(0.5, 0.16, 14, 32),
  plane: () => new BoxGeometry(2.2, 2.2, 0.12),
  contact: () => new CylinderGeometry(1.1, 1.1, 0.1, 36).rotateX(Math.PI / 2),
  weld: () => new BoxGeometry(0.8, 0.8, 0.8),
  other: () => new OctahedronGeometry(0.4),
};
/** The same between two markers: diameter in symbol sizes. @type {Record<string, {width: number, geometry: () => BufferGeometry}>} */
const STRETCHED = {
  rod: { width: 0.3, geometry: () => new CylinderGeometry(0.5, 0.5, 1, 16).rotateX(Math.PI / 2).translate(0, 0, 0.5) },
  spring: { width: 1, geometry: coil },
};

/** Where a marker is. @param {Vector3} x @param {Quaternion} q @param {Pose} pose @param {Marker} marker */
export function markerFrame(x, q, pose, marker) {
  x.fromArray(marker.position);
  q.copy(quaternionOf(marker.quaternion));
  if (marker.node < 0) return;
  const turn = nodeQuaternion(new Quaternion(), pose, marker.node);
  x.applyQuaternion(turn).add(new Vector3().fromArray(pose.position, 3 * marker.node));
  q.premultiply(turn);
}

export class Links {
  /** @param {Link[]} links @param {number} size of a symbol */
  constructor(links, size) {
    this.group = new Group();
    this.size = size;
    this.material = new MeshStandardMaterial({ roughness: 0.45 });
    /** @type {{mesh: InstancedMesh, members: Link[], width: number}[]} */ this.sets = [];
    const drawn = links.filter((l) => l.markers.length && !["none", "arrow", "rope"].includes(l.symbol));
    const kindOf = (/** @type {Link} */ l) =>
      STRETCHED[l.symbol] && l.markers.length > 1 ? l.symbol : SYMBOLS[l.symbol] ? l.symbol : "other";
    for (const symbol of [...Object.keys(SYMBOLS), ...Object.keys(STRETCHED)]) {
      const members = drawn.filter((l) => kindOf(l) === symbol);
      if (members.length) this.addSet((STRETCHED[symbol]?.geometry ?? SYMBOLS[symbol])(), members, STRETCHED[symbol]?.width ?? 0);
    }
    this.paint();
  }

  /** @param {BufferGeometry} geometry @param {Link[]} members @param {number} width 0: not stretched */
  addSet(geometry, members, width) {
    const mesh = new InstancedMesh(geometry, this.material, members.length);
    mesh.frustumCulled = false;
    mesh.castShadow = members.length <= CROWD;
    mesh.userData.names = members.map((l) => l.name);
    this.group.add(mesh);
    this.sets.push({ mesh, members, width });
  }

  paint() {
    this.material.color.copy(styleColour("joint"));
  }

  /** @param {Pose} pose */
  place(pose) {
    const m = new Matrix4();
    for (const { mesh, members, width } of this.sets) {
      members.forEach((link, i) => mesh.setMatrixAt(i, width > 0 ? this.stretched(m, link, pose, width) : this.symbol(m, link, pose)));
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    }
  }

  /** @param {Matrix4} m @param {Link} link @param {Pose} pose */
  symbol(m, link, pose) {
    const x = new Vector3(), q = new Quaternion();
    markerFrame(x, q, pose, link.markers[0]);
    if (link.axes[0]) q.multiply(new Quaternion().setFromUnitVectors(Z, new Vector3(...link.axes[0])));
    return m.compose(x, q, new Vector3(this.size, this.size, this.size));
  }

  /** @param {Matrix4} m @param {Link} link @param {Pose} pose @param {number} width */
  stretched(m, link, pose, width) {
    const a = new Vector3(), b = new Vector3(), q = new Quaternion();
    markerFrame(a, q, pose, link.markers[0]);
    markerFrame(b, q, pose, link.markers[1]);
    const length = a.distanceTo(b);
    q.setFromUnitVectors(Z, length > 0 ? b.sub(a).divideScalar(length) : Z);
    const across = width * this.size;
    return m.compose(a, q, new Vector3(across, across, length));
  }
}

/** Arrows where links act on their last marker, as long as their vectors say. */
export class Arrows {
  /**
   * @param {Link[]} links @param {(link: number, t: number, out: Vector3) => void} vector
   * @param {{largest: number, length: number, colour: string, heads: number}} look length of the largest, heads 2: moments
   */
  constructor(links, vector, look) {
    this.links = links;
    this.vector = vector;
    this.look = look;
    this.group = new Group();
    this.material = new MeshStandardMaterial({ roughness: 0.6 });
    const shaft = new CylinderGeometry(0.5, 0.5, 1, 12).translate(0, 0.5, 0).rotateX(Math.PI / 2);
    const head = new ConeGeometry(1.4, 1, 20).translate(0, -0.5, 0).rotateX(Math.PI / 2);
    this.parts = [shaft, ...Array.from({ length: look.heads }, () => head)].map((geometry) => {
      const mesh = new InstancedMesh(geometry, this.material, links.length);
      mesh.frustumCulled = false;
      this.group.add(mesh);
      return mesh;
    });
    this.paint();
  }

  paint() {
    this.material.color.copy(styleColour(this.look.colour));
  }

  /** @param {Pose} pose @param {number} t @param {number} factor */
  place(pose, t, factor) {
    const x = new Vector3(), q = new Quaternion(), d = new Vector3(), scale = new Vector3(), m = new Matrix4();
    const thick = 0.026 * this.look.length;
    this.links.forEach((link, i) => {
      markerFrame(x, q, pose, link.markers[link.markers.length - 1]);
      this.vector(i, t, d);
      const length = this.look.largest > 0 ? d.length() / this.look.largest * this.look.length * factor : 0;
      const head = Math.min(6 * thick, 0.45 * length);
      q.setFromUnitVectors(Z, length > 0 ? d.normalize() : Z);
      const width = length > 0 ? Math.min(thick, length / 6) : 0;
      this.parts[0].setMatrixAt(i, m.compose(x, q, scale.set(width, width, Math.max(length - head, 0))));
      for (let k = 1; k < this.parts.length; ++k) {
        const tip = x.clone().addScaledVector(d, length - (k - 1) * 0.6 * head);
        this.parts[k].setMatrixAt(i, m.compose(tip, q, scale.set(width * 1.15, width * 1.15, head)));
      }
    });
    for (const part of this.parts) part.instanceMatrix.needsUpdate = true;
  }
}
