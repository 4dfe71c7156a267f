// SPDX-License-Identifier: GPL-3.0-or-later
/**
 * The page that `torsor report` fills: one HTML file with its script, style and licences in it.
 *
 * usage: node build.mjs OUTPUT.html [NODE_MODULES]
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const output = resolve(process.argv[2] ?? "report.html");
const modules = resolve(process.argv[3] ?? join(here, "node_modules"));
const { buildSync } = createRequire(join(modules, "x.js"))("esbuild");

/** What the bundle contains besides Torsor. */
const PARTS = ["three", "uplot"];

function bundle(entry, more) {
  const result = buildSync({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    write: false,
    target: ["chrome110", "firefox115", "safari16.4"],
    legalComments: "inline",
    nodePaths: [modules],
    charset: "utf8",
    logLevel: "warning",
    ...more,
  });
  return result.outputFiles[0].text.trim();
}

function licences() {
  const texts = PARTS.map((name) => {
    const { version, license } = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"));
    return `${name} ${version} (${license})\n\n${readFileSync(join(modules, name, "LICENSE"), "utf8").trim()}`;
  });
  const own = "Torsor and this page: GPL-3.0-or-later.  The results in it belong to whoever computed them.\n" +
    "The page contains the following.";
  return [own, ...texts].join("\n\n----------------------------------------\n\n");
}

const hash = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

const script = bundle("src/main.js", { format: "iife" });
const style = bundle("src/style.css", { loader: { ".css": "css" } });
if (/<\/(script|style)/i.test(script + style)) throw new Error("the bundle would close its own element");
const csp = [
  "default-src 'none'", `script-src ${hash(script)}`, `style-src ${hash(style)}`, "img-src data:", "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const parts = { CSP: csp, STYLE: style, LICENCES: licences().replaceAll("<", "‹"), SCRIPT: script, DATA: "<!--torsor-data-->" };
const page = readFileSync(join(here, "src/page.html"), "utf8").replace(/@([A-Z]+)@/g, (_, name) => parts[name]);
if (!existsSync(dirname(output))) throw new Error(`${dirname(output)} does not exist`);
writeFileSync(output, page);
console.log(`${output}: ${Math.round(page.length / 1024)} kB`);
