// SPDX-License-Identifier: GPL-3.0-or-later
/**
 * Rigid shapes: one instanced mesh for each kind.
 *
 * @typedef {{kind: string, node: number, size: number[], position: number[], quaternion: number[], colour: number, name: string,
 *            vertices?: number, triangles?: number}} Solid  node -1: the ground
 * @typedef {import("../data/motion.js").Pose} Pose
 */
import {
  BoxGeometry, BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry, DynamicDrawUsage, Group, InstancedMesh,
  Matrix4, MeshStandardMaterial, Quaternion, SphereGeometry, Vector3,
} from "three";
import { elementColour } from "./colours.js";

/** Unit shapes; `size` stretches them along x, y, z. Axes of cylinders and cones are z. */
/** @type {Record<string, () => BufferGeometry>} */
const UNITS = {
  box: () => new BoxGeometry(1, 1, 1),
  sphere: () => new SphereGeometry(0.5, 32, 20),
  cylinder: () => new CylinderGeometry(0.5, 0.5, 1, 40).rotateX(Math.PI / 2),
  cone: () => new ConeGeometry(0.5, 1, 32).rotateX(Math.PI / 2),
};

/** @param {import("../data/decode.js").Store} store @param {Solid} solid */
function meshGeometry(store, solid) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(Float32Array.from(store.numbers(solid.vertices ?? 0)), 3));
  geometry.setIndex([...store.numbers(solid.triangles ?? 0)]);
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

export class Solids {
  /**
   * @param {Solid[]} solids @param {import("../data/decode.js").Store} store
   * @param {{result: number, several: boolean}} look
   */
  constructor(solids, store, look) {
    this.group = new Group();
    this.look = look;
    /** @type {{mesh: InstancedMesh, solids: Solid[], local: Matrix4[]}[]} */ this.sets = [];
    /** @type {Map<string, Solid[]>} */ const kinds = new Map();
    solids.forEach((solid, i) => {
      const key = solid.kind === "mesh" ? `mesh ${i}` : solid.kind;
      kinds.set(key, [...(kinds.get(key) ?? []), solid]);
    });
    for (const [key, members] of kinds) this.addSet(key.startsWith("mesh") ? meshGeometry(store, members[0]) : UNITS[key](), members);
    this.paint();
  }

  /** @param {BufferGeometry} geometry @param {Solid[]} solids */
  addSet(geometry, solids) {
    const material = new MeshStandardMaterial({ roughness: 0.55, metalness: 0.08 });
    const mesh = new InstancedMesh(geometry, material, solids.length);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.castShadow = mesh.receiveShadow = solids.length <= 300;
    mesh.frustumCulled = false;
    mesh.userData.names = solids.map((s) => s.name);
    const local = solids.map((s) => new Matrix4().compose(
      new Vector3(...s.position), quaternionOf(s.quaternion), new Vector3(...(s.kind === "mesh" ? [1, 1, 1] : s.size))));
    this.sets.push({ mesh, solids, local });
    this.group.add(mesh);
  }

  paint() {
    const paint = new Color();
    for (const { mesh, solids } of this.sets) {
      solids.forEach((solid, i) => mesh.setColorAt(i, paint.copy(elementColour(solid.colour, this.look.result, this.look.several))));
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  /** @param {Pose} pose */
  place(pose) {
    const frame = new Matrix4();
    const x = new Vector3();
    const q = new Quaternion();
    const one = new Vector3(1, 1, 1);
    for (const { mesh, solids, local } of this.sets) {
      for (let i = 0; i < solids.length; ++i) {
        const n = solids[i].node;
        if (n < 0) frame.copy(local[i]);
        else frame.compose(x.fromArray(pose.position, 3 * n), nodeQuaternion(q, pose, n), one).multiply(local[i]);
        mesh.setMatrixAt(i, frame);
      }
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // or picking would use an old one
    }
  }
}

/** From w x y z. @param {number[]} q */
export function quaternionOf(q) {
  return new Quaternion(q[1], q[2], q[3], q[0]);
}

/** @param {Quaternion} out @param {Pose} pose @param {number} node */
export function nodeQuaternion(out, pose, node) {
  const q = pose.quaternion;
  return out.set(q[4 * node + 1], q[4 * node + 2], q[4 * node + 3], q[4 * node]);
}
