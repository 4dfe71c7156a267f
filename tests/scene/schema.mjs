// SPDX-License-Identifier: GPL-3.0-or-later
// The published schema as Ajv reads it: shipped scenes are valid; with a key misspelt or a value null they are not.
// usage: node tests/scene/schema.mjs DATA NODE_MODULES
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [data, modules] = process.argv.slice(2);
const Ajv = createRequire(join(resolve(modules), "here.js"))("ajv");
const load = (...path) => JSON.parse(readFileSync(join(data, ...path), "utf8"));
const valid = new Ajv({ strictTypes: false }).compile(load("schema", "torsor-scene.json"));
const named = ["parameters", "functions", "sections"]; // their keys are the scene's own

/** Every member of every object: [path, what is the same for members of one kind, whether its key is the scene's own]. */
function* places(value, path = [], kind = "") {
  const list = Array.isArray(value);
  if (value === null || typeof value !== "object") return;
  const where = typeof value.type === "string" ? `${kind}/${value.type}` : kind;
  for (const key of Object.keys(value)) {
    const own = path.length === 1 && named.includes(path[0]);
    const here = list ? where : `${where}/${own ? "*" : key}`;
    if (!list) yield [[...path, key], here, own];
    yield* places(value[key], [...path, key], here);
  }
}

function changed(scene, path, change) {
  const copy = structuredClone(scene);
  change(path.slice(0, -1).reduce((holder, step) => holder[step], copy), path.at(-1));
  return copy;
}

const misspell = (holder, key) => {
  holder[`${key}q`] = holder[key];
  delete holder[key];
};
const empty = (holder, key) => {
  holder[key] = null;
};

const seen = new Set();
let scenes = 0;
for (const file of readdirSync(join(data, "scenes")).filter((name) => name.endsWith(".json"))) {
  const scene = load("scenes", file);
  assert.ok(valid(scene), `${file}: ${JSON.stringify(valid.errors)}`);
  ++scenes;
  for (const [path, kind, own] of places(scene)) {
    if (seen.has(kind) || path.includes("comment") || /^[_$]/.test(path.at(-1))) continue;
    seen.add(kind);
    assert.ok(own || !valid(changed(scene, path, misspell)), `${file} with ${path.join(".")} misspelt`);
    assert.ok(!valid(changed(scene, path, empty)), `${file} with ${path.join(".")} null`);
  }
}
assert.ok(scenes > 50 && seen.size > 200);
console.log(`  ${scenes} scenes are valid; ${seen.size} kinds of keys are refused misspelt, and of values null`);
