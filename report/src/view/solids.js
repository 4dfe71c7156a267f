// SPDX-License-Identifier: GPL-3.0-or-later
/**
 * Rigid shapes: one instanced mesh for each kind.
 *
 * @typedef {{kind: string, node: number, size: number[], position: number[], quaternion: number[], colour: number, name: string,
 *            rgb?: number[], bar?: boolean}} Solid  node -1: the ground; size: extents along x, y, z
 * @typedef {import("../data/motion.js").Pose} Pose
 */
import {
  BoxGeometry, CapsuleGeometry, Color, ConeGeometry, CylinderGeometry, DynamicDrawUsage, Group, InstancedMesh, Matrix4,
  MeshStandardMaterial, Quaternion, SphereGeometry, TorusGeometry, Vector3,
} from "three";
import { elementColour } from "./colours.js";

/** @typedef {import("three").BufferGeometry} BufferGeometry */

/** More solids than this are drawn with fewer faces and without shadows. */
const CROWD = 200;

/** Shapes of the extents 1 along x and y, and along z 1 or, of those that do not stretch, `ratio`; axes are z; n: fineness. */
/** @type {Record<string, (n: number, ratio: number) => BufferGeometry>} */
const UNITS = {
  box: () => new BoxGeometry(1, 1, 1),
  sphere: (n) => new SphereGeometry(0.5, 4 * n, 2 * n),
  cylinder: (n) => new CylinderGeometry(0.5, 0.5, 1, 4 * n).rotateX(Math.PI / 2),
  cone: (n) => new ConeGeometry(0.5, 1, 4 * n).rotateX(Math.PI / 2),
  capsule: (n, ratio) => new CapsuleGeometry(0.5, Math.max(0, ratio - 1), n, 4 * n).rotateX(Math.PI / 2),
  torus: (n, ratio) => new TorusGeometry((1 - ratio) / 2, ratio / 2, 2 * n, 5 * n),
};
const STIFF = new Set(["capsule", "torus"]);

/** @param {Solid} solid */
function ratioOf(solid) {
  return Number((solid.size[2] / solid.size[0]).toPrecision(4));
}

/** Solids that one mesh can draw have the same key. @param {Solid} solid */
function keyOf(solid) {
  return STIFF.has(solid.kind) ? `${solid.kind} ${ratioOf(solid)}` : solid.kind;
}

/** @param {Solid} solid */
function scaleOf(solid) {
  const [x, y, z] = solid.size;
  return STIFF.has(solid.kind) ? new Vector3(x, x, x) : new Vector3(x, y, z);
}

export class Solids {
  /**
   * @param {Solid[]} solids @param {{result: number, several: boolean}} look
   */
  constructor(solids, look) {
    this.group = new Group();
    this.look = look;
    /** @type {{mesh: InstancedMesh, solids: Solid[], local: Matrix4[]}[]} */ this.sets = [];
    /** @type {Map<string, Solid[]>} */ const kinds = new Map();
    for (const solid of solids) {
      const key = keyOf(solid);
      if (!kinds.has(key)) kinds.set(key, []);
      kinds.get(key)?.push(solid);
    }
    const fineness = solids.length > CROWD ? 3 : 11;
    for (const members of kinds.values())
      this.addSet((UNITS[members[0].kind] ?? UNITS.box)(fineness, ratioOf(members[0])), members, solids.length <= CROWD);
    this.paint();
  }

  /** @param {BufferGeometry} geometry @param {Solid[]} solids @param {boolean} shadows */
  addSet(geometry, solids, shadows) {
    const material = new MeshStandardMaterial({ roughness: 0.55, metalness: 0.08 });
    const mesh = new InstancedMesh(geometry, material, solids.length);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.castShadow = mesh.receiveShadow = shadows;
    mesh.frustumCulled = false;
    mesh.userData.names = solids.map((s) => s.name);
    const local = solids.map((s) => new Matrix4().compose(
      new Vector3(...s.position), quaternionOf(s.quaternion), scaleOf(s)));
    this.sets.push({ mesh, solids, local });
    this.group.add(mesh);
  }

  paint() {
    const paint = new Color();
    for (const { mesh, solids } of this.sets) {
      solids.forEach((solid, i) => {
        paint.copy(elementColour(solid.colour, this.look.result, this.look.several));
        if (solid.rgb && !this.look.several) paint.setRGB(solid.rgb[0], solid.rgb[1], solid.rgb[2], "srgb");
        mesh.setColorAt(i, paint);
      });
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
