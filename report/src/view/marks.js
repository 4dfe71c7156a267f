// SPDX-License-Identifier: GPL-3.0-or-later
/**
 * Things that are drawn the same size whatever they mark: axes of nodes, joints, arrows of forces and moments.
 *
 * @typedef {import("../data/motion.js").Pose} Pose
 * @typedef {{name: string, type: string, symbol: string, node: number, position: number[], quaternion: number[]}} Joint
 */
import {
  BufferAttribute, BufferGeometry, ConeGeometry, CylinderGeometry, DynamicDrawUsage, Group, InstancedMesh, LineBasicMaterial,
  LineSegments, Matrix4, MeshStandardMaterial, OctahedronGeometry, BoxGeometry, Quaternion, SphereGeometry, TorusGeometry, Vector3,
} from "three";
import { styleColour } from "./colours.js";
import { nodeQuaternion, quaternionOf } from "./solids.js";

const AXES = [[0.86, 0.2, 0.2], [0.18, 0.6, 0.3], [0.15, 0.42, 0.9]];

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

/** Symbols with their axis along z, of size 1. @type {Record<string, () => BufferGeometry>} */
const SYMBOLS = {
  ball: () => new SphereGeometry(0.5, 24, 16),
  hinge: () => new CylinderGeometry(0.34, 0.34, 1.5, 28).rotateX(Math.PI / 2),
  slider: () => new BoxGeometry(0.55, 0.55, 1.8),
  ring: () => new TorusGeometry(0.5, 0.16, 14, 32),
  weld: () => new BoxGeometry(0.8, 0.8, 0.8),
  other: () => new OctahedronGeometry(0.55),
};

/** Where a joint is. @param {Vector3} x @param {Quaternion} q @param {Pose} pose @param {Joint} joint */
function jointFrame(x, q, pose, joint) {
  x.fromArray(joint.position);
  q.copy(quaternionOf(joint.quaternion));
  if (joint.node < 0) return;
  const turn = nodeQuaternion(new Quaternion(), pose, joint.node);
  x.applyQuaternion(turn).add(new Vector3().fromArray(pose.position, 3 * joint.node));
  q.premultiply(turn);
}

export class Joints {
  /** @param {Joint[]} joints @param {number} size */
  constructor(joints, size) {
    this.group = new Group();
    this.size = size;
    this.material = new MeshStandardMaterial({ roughness: 0.4, metalness: 0.35 });
    this.sets = Object.keys(SYMBOLS).map((symbol) => {
      const members = joints.filter((j) => (SYMBOLS[j.symbol] ? j.symbol : "other") === symbol);
      const mesh = new InstancedMesh(SYMBOLS[symbol](), this.material, members.length);
      mesh.frustumCulled = false;
      mesh.castShadow = true;
      mesh.userData.names = members.map((j) => j.name);
      if (members.length) this.group.add(mesh);
      return { mesh, members };
    });
    this.paint();
  }

  paint() {
    this.material.color = styleColour("joint");
  }

  /** @param {Pose} pose */
  place(pose) {
    const x = new Vector3(), q = new Quaternion(), m = new Matrix4();
    const scale = new Vector3().setScalar(this.size);
    for (const { mesh, members } of this.sets) {
      members.forEach((joint, i) => {
        jointFrame(x, q, pose, joint);
        mesh.setMatrixAt(i, m.compose(x, q, scale));
      });
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    }
  }
}

/** Arrows at joints, as long as their vectors say. */
export class Arrows {
  /**
   * @param {Joint[]} joints @param {(joint: number, t: number, out: Vector3) => void} vector
   * @param {{largest: number, length: number, colour: string, heads: number}} look length of the largest, heads 2: moments
   */
  constructor(joints, vector, look) {
    this.joints = joints;
    this.vector = vector;
    this.look = look;
    this.group = new Group();
    this.material = new MeshStandardMaterial({ roughness: 0.6 });
    const shaft = new CylinderGeometry(0.5, 0.5, 1, 12).translate(0, 0.5, 0).rotateX(Math.PI / 2);
    const head = new ConeGeometry(1.4, 1, 20).translate(0, -0.5, 0).rotateX(Math.PI / 2);
    this.parts = [shaft, ...Array.from({ length: look.heads }, () => head)].map((geometry) => {
      const mesh = new InstancedMesh(geometry, this.material, joints.length);
      mesh.frustumCulled = false;
      this.group.add(mesh);
      return mesh;
    });
    this.paint();
  }

  paint() {
    this.material.color = styleColour(this.look.colour);
  }

  /** @param {Pose} pose @param {number} t @param {number} factor */
  place(pose, t, factor) {
    const x = new Vector3(), q = new Quaternion(), d = new Vector3(), scale = new Vector3(), m = new Matrix4();
    const z = new Vector3(0, 0, 1);
    const thick = 0.022 * this.look.length;
    this.joints.forEach((joint, i) => {
      jointFrame(x, q, pose, joint);
      this.vector(i, t, d);
      const length = this.look.largest > 0 ? d.length() / this.look.largest * this.look.length * factor : 0;
      const head = Math.min(6 * thick, 0.45 * length);
      q.setFromUnitVectors(z, length > 0 ? d.normalize() : z);
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
