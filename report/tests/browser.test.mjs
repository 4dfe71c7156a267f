// SPDX-License-Identifier: GPL-3.0-or-later
/**
 * Report pages in a browser.  Environment: TORSOR (the command), TORSOR_DATA, TORSOR_REPORT (the bundle), CHROMIUM,
 * NODE_MODULES (with playwright-core and axe-core).
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { crowd, everything } from "./synthetic.mjs";

const { TORSOR, TORSOR_DATA, TORSOR_REPORT, CHROMIUM, NODE_MODULES } = process.env;
const require = createRequire(join(NODE_MODULES, "x.js"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** Nothing takes that long unless it hangs, ms. */
const HANG = 120000;
const folder = mkdtempSync(join(tmpdir(), "torsor-page-"));
const at = (name) => join(folder, name);
let browser;
/** The page of most tests: each one begins at the start. */
let shared;

function torsor(...words) {
  return execFileSync(TORSOR, words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

before(async () => {
  browser = await chromium.launch({ executablePath: CHROMIUM, timeout: HANG,
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
  everything(TORSOR_REPORT, at("everything.html"));
  shared = await open(at("everything.html"));
}, { timeout: HANG });

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Open a page; what it complains of, asks for or is forbidden is in `trouble`. */
async function open(file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1000, height: 600 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(HANG);
  const trouble = [];
  page.on("console", (m) => { if (["error", "warning"].includes(m.type()) && !/GPU stall|GL Driver/.test(m.text())) trouble.push(m.text()); });
  page.on("pageerror", (e) => trouble.push(String(e)));
  page.on("request", (r) => { if (r.url() !== `file://${file}`) trouble.push(`request ${r.url().slice(0, 100)}`); });
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (e) => window.violations.push(`${e.violatedDirective} ${e.blockedURI}`));
  });
  await page.goto(`file://${file}`);
  await page.waitForSelector("html[data-ready]");
  await settle(page);
  return { page, trouble, close: () => context.close(), violations: () => page.evaluate(() => window.violations) };
}

/** The shared page as it was when it was opened. */
async function fresh() {
  const { page } = shared;
  await page.evaluate(() => window.torsorReport.state.set({ time: 0, playing: false, follow: "", selected: "", signals: ["ball.position", "energy.total"] }));
  await settle(page);
  return page;
}

/** Two frames later everything that was asked for is drawn. */
const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30)))));
const timeOf = (page) => page.evaluate(() => window.torsorReport.state.view.time);
const seek = async (page, time) => {
  await page.evaluate((t) => window.torsorReport.state.set({ time: t, playing: false }), time);
  await settle(page);
};

/** Pixels of the 3D view, as drawn now. */
const pixels = (page) => page.evaluate(() => {
  const { stage } = window.torsorReport;
  stage.draw();
  const copy = document.createElement("canvas");
  copy.width = 320;
  copy.height = 200;
  const brush = copy.getContext("2d");
  brush.drawImage(stage.canvas, 0, 0, 320, 200);
  return [...brush.getImageData(0, 0, 320, 200).data];
});

/** The same as the browser shows it, without a word to the view. */
const seen = async (page) => (await page.locator(".stage-canvas").screenshot()).toString("base64");

function changed(a, b) {
  let count = 0;
  for (let i = 0; i < a.length; i += 4)
    count += Math.abs(a[i] - b[i]) + Math.abs(a[i + 1] - b[i + 1]) + Math.abs(a[i + 2] - b[i + 2]) > 24;
  return count;
}

test("loads from a file without errors, requests and violations", { timeout: HANG }, async () => {
  const { page, trouble, violations } = shared;
  assert.deepEqual(trouble, []);
  assert.deepEqual(await violations(), []);
  assert.equal(await page.title(), "One of everything – Torsor");
});

test("the policy lets nothing else run or load", { timeout: HANG }, async () => {
  const { page, close, violations } = await open(at("everything.html"));
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.intruder = 1";
    document.body.append(script);
    const image = new Image();
    image.src = "https://example.invalid/x.png";
    document.body.append(image);
    const box = document.createElement("div");
    box.setAttribute("style", "width: 7px");
    document.body.append(box);
    return [window.intruder, box.style.width];
  });
  assert.deepEqual(ran, [undefined, ""]);
  const told = (await violations()).map((v) => v.split(" ")[0].replace(/-(elem|attr)$/, "")).sort();
  assert.deepEqual([...new Set(told)], ["img-src", "script-src", "style-src"]);
  const meta = await page.getAttribute('meta[http-equiv="Content-Security-Policy"]', "content");
  assert.match(meta, /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data:;/);
  assert.doesNotMatch(meta, /unsafe|https?:/);
  await close();
});

test("scrubbing changes the picture, and back", { timeout: HANG }, async () => {
  const page = await fresh();
  await seek(page, 0.2);
  const first = await pixels(page);
  const shown = await seen(page);
  await page.locator(".scrub").fill("5000");
  await settle(page);
  assert.ok(Math.abs(await timeOf(page) - 1.99) < 0.02);
  assert.notEqual(await seen(page), shown);
  const second = await pixels(page);
  await seek(page, 0.2);
  const again = await pixels(page);
  console.log(`  pixels changed by scrubbing: ${changed(first, second)} of 64000`);
  assert.ok(changed(first, second) > 300);
  assert.equal(changed(first, again), 0);
});

test("playing moves the time", { timeout: HANG }, async () => {
  const page = await fresh();
  await page.click(".play-button");
  await page.waitForFunction(() => window.torsorReport.state.view.time > 0.1);
  await page.click(".play-button");
  const stopped = await timeOf(page);
  await page.waitForTimeout(200);
  assert.equal(await timeOf(page), stopped);
});

test("plots and the 3D view follow each other", { timeout: HANG }, async () => {
  const page = await fresh();
  const now = () => page.locator(".now-line").first().evaluate((e) => e.getBoundingClientRect().left);
  const reading = () => page.locator(".panel", { hasText: "ball.position" }).locator(".reading").nth(2).textContent();
  await seek(page, 0);
  const [left, value] = [await now(), await reading()];
  assert.equal(value, "0.5");
  await seek(page, 0.5);
  assert.ok(await now() > left + 20);
  assert.equal(await reading(), "0.74937"); // 0.5 + 0.25 sin 1.5 at a row of the table
  const before = await pixels(page);
  const over = page.locator(".u-over").first();
  await over.scrollIntoViewIfNeeded();
  const box = await over.boundingBox();
  await page.mouse.click(box.x + box.width * 0.75, box.y + box.height / 2);
  await settle(page);
  assert.ok(Math.abs(await timeOf(page) - 0.75 * 239 / 60) < 0.03);
  assert.ok(changed(before, await pixels(page)) > 100);
});

test("what hardly changes is drawn as a drift, residuals logarithmically", { timeout: HANG }, async () => {
  const page = await fresh();
  await page.evaluate(() => window.torsorReport.state.set({ signals: ["energy.total", "spring.residual", "ball.position"], time: 0.3 }));
  const scale = (name) => page.locator(".panel", { hasText: name }).locator("select").inputValue();
  assert.deepEqual([await scale("energy.total"), await scale("spring.residual"), await scale("ball.position")], ["drift", "log", "values"]);
  const drift = await page.locator(".panel", { hasText: "energy.total" }).locator(".reading").first().textContent();
  // 1e-6 sin 1.5 of 1000: stored with the rounding of a double, 1.1e-13
  assert.ok(Math.abs(Number(drift.replaceAll("−", "-")) - 1e-6 * Math.sin(1.5)) < 1e-11, drift);
});

test("keys: space, arrows, home, end, tab", { timeout: HANG }, async () => {
  const page = await fresh();
  const end = 239 / 60;
  await page.keyboard.press("End");
  assert.ok(Math.abs(await timeOf(page) - end) < 1e-9);
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  assert.ok(Math.abs(await timeOf(page) - end / 100) < 1e-9);
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("ArrowLeft");
  assert.ok(Math.abs(await timeOf(page) - end / 10) < 1e-9);
  await page.keyboard.press(" ");
  assert.equal(await page.evaluate(() => window.torsorReport.state.view.playing), true);
  await page.keyboard.press(" ");
  assert.equal(await page.evaluate(() => window.torsorReport.state.view.playing), false);
  await page.locator(".page-head button").first().focus();
  const reached = [];
  for (let i = 0; i < 14; ++i) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate(() => {
      const e = document.activeElement;
      const ring = getComputedStyle(e);
      return `${e.getAttribute("aria-label") ?? e.textContent}|${ring.outlineStyle}`;
    }));
  }
  assert.ok(reached.some((r) => r.startsWith("Play|")), reached.join("\n"));
  assert.ok(reached.some((r) => r.startsWith("Time|")));
  assert.ok(reached.every((r) => !r.endsWith("|none")), `no focus ring: ${reached.join("\n")}`);
});

test("the time is told to screen readers, plots have tables", { timeout: HANG }, async () => {
  const page = await fresh();
  await seek(page, 1);
  await page.waitForFunction(() => [...document.querySelectorAll(".player [role=status]")].some((e) => e.textContent === "t = 1 s"));
  assert.equal(await page.locator(".scrub").getAttribute("aria-valuetext"), "t = 1 s");
  await page.click('[aria-label="Table of ball.position"]');
  const rows = await page.locator(".panel", { hasText: "ball.position" }).locator("tbody tr").count();
  assert.equal(rows, 40);
});

test("signals are filtered and chosen", { timeout: HANG }, async () => {
  const page = await fresh();
  await page.click(".picker > summary");
  await page.fill('[aria-label="Filter signals"]', "spring res");
  const boxes = page.locator(".tree input");
  assert.equal(await boxes.count(), 1);
  await boxes.first().check();
  assert.equal(await page.locator('[aria-label="Plot of spring.residual"]').count(), 1);
  await boxes.first().uncheck();
  assert.equal(await page.locator('[aria-label="Plot of spring.residual"]').count(), 0);
  await page.keyboard.press("Escape");
  assert.equal(await boxes.first().isVisible(), false);
});

test("a body that is pressed is named", { timeout: HANG }, async () => {
  const page = await fresh();
  await page.selectOption(".switches select", "ball"); // followed: in the middle of the view
  await settle(page);
  await page.locator(".stage-canvas").scrollIntoViewIfNeeded();
  await page.evaluate(() => window.torsorReport.stage.draw());
  const box = await page.locator(".stage-canvas").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  assert.equal(await page.locator(".stage-tag").textContent(), "ball");
});

test("light and dark, by the system and by the switch; axe finds nothing in either", { timeout: 3 * HANG }, async () => {
  const brightness = (page) => page.evaluate(() => Number(getComputedStyle(document.documentElement).backgroundColor.match(/\d+/)[0]));
  const audit = async (page) => {
    const { violations } = await page.evaluate(() => window.axe.run());
    assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join("; ")}`), []);
  };
  const { page, close } = await open(at("everything.html"), { colorScheme: "dark", reducedMotion: "reduce" });
  await page.click('[aria-label="Table of ball.position"]');
  await page.click(".picker > summary");
  await page.evaluate(axe);
  assert.ok(await brightness(page) < 60);
  await audit(page);
  await page.click('[aria-label="Switch to light colours"]');
  assert.ok(await brightness(page) > 200);
  await audit(page);
  await close();
});

test("nothing is wider than a phone", { timeout: HANG }, async () => {
  const { page, close } = await open(at("everything.html"), { viewport: { width: 360, height: 740 } });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
  for (const part of [".stage-canvas", ".play-button", ".scrub", ".plot canvas", ".figures"]) {
    const box = await page.locator(part).first().boundingBox();
    assert.ok(box.width > 0 && box.x >= 0 && box.x + box.width <= 360, part);
  }
  await close();
});

test("text of results is text", { timeout: HANG }, async () => {
  const page = await fresh();
  assert.equal(await page.locator(".notice.warn li").textContent(), "rows <b>are</b> redundant");
  assert.equal(await page.locator("#convergence tbody tr td").last().textContent(), "2");
});

test("a thousand bodies in two thousand frames", { timeout: 3 * HANG }, async () => {
  const file = at("crowd.html");
  crowd(TORSOR_REPORT, file, 1000, 2000);
  const size = statSync(file).size;
  const start = performance.now();
  const { page, close, trouble } = await open(file);
  const loaded = performance.now() - start;
  const times = await page.evaluate(async () => {
    const { state, stage } = window.torsorReport;
    const out = [];
    for (let i = 0; i < 12; ++i) {
      const from = performance.now();
      state.set({ time: i * 0.7, playing: false });
      stage.draw();
      stage.renderer.getContext().finish();
      out.push(performance.now() - from);
      await new Promise((done) => setTimeout(done));
    }
    return out.sort((a, b) => a - b);
  });
  console.log(`  page ${(size / 1e6).toFixed(1)} MB, shown after ${(loaded / 1000).toFixed(1)} s, ` +
    `frame ${times[6].toFixed(0)} ms (software rendering), slowest ${times[11].toFixed(0)} ms`);
  assert.ok(size < 30e6);
  assert.deepEqual(trouble, []);
  await close();
});

test("numbers of full states are plotted, of modes the warnings are told", { timeout: 2 * HANG }, async () => {
  torsor("run", join(TORSOR_DATA, "scenes/heavy_top.json"), "-o", at("full"), "--full",
    "--set", 'output={"every": 7, "signals": ["energy"], "full": {"every": 3}}');
  torsor("report", at("full"));
  const { page, trouble, close } = await open(at("full/report.html"));
  assert.deepEqual(trouble, []);
  await page.evaluate(() => window.torsorReport.state.set({ signals: ["top.angular_velocity", "top.position", "energy.total"], time: 0 }));
  await settle(page);
  const first = (name) => page.locator(".panel", { hasText: name }).locator(".reading").nth(1).textContent();
  assert.equal(await first("top.angular_velocity"), "150"); // the scene's own, of axes x, y, z
  const place = Number(await first("top.position"));
  assert.ok(Math.abs(place - 1) < 1e-4, String(place));
  await seek(page, 0.5);
  assert.notEqual(await first("top.position"), String(place));
  await page.click('[aria-label="Table of top.position"]');
  // rows 0, 7, 14, .. of 1,000 steps and the last one; of these 0, 3, 6, .. and the last one: 49 states
  assert.match(await page.locator(".panel caption").textContent(), /one of every 2 of 49 rows/);
  await close();

  writeFileSync(at("swing.json"), JSON.stringify({ torsor: 1, gravity: [0, 0, -9.81],
    bodies: [{ name: "bob", type: "rigid_body", mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, -1.1], placement: "guess" }],
    joints: [{ name: "pivot", type: "spherical", a: "ground", b: { body: "bob", position: [0, 0, 1] } }] }));
  torsor("modes", at("swing.json"), "-o", at("swing"));
  torsor("report", at("swing"), "-o", at("swing.html"));
  const swing = await open(at("swing.html"), { reducedMotion: "reduce" });
  assert.match(await swing.page.locator(".notice.warn li").textContent(), /"bob" was moved by 0.1 m/);
  await swing.close();
});

test("pages of the command: several results, a reference, modes", { timeout: 2 * HANG }, async () => {
  const top = join(TORSOR_DATA, "scenes/heavy_top.json");
  torsor("run", top, "-o", at("one"));
  torsor("run", top, "-o", at("two"), "--set", "simulation.step=2e-3", "--set", "output.every=5");
  torsor("report", at("one"), at("two"), "--reference", join(TORSOR_DATA, "reference/heavy_top.csv"), "-o", at("both.html"));
  const both = await open(at("both.html"));
  assert.deepEqual(both.trouble, []);
  assert.deepEqual(await both.page.locator(".overlay label").allTextContents(), ["one", "two", "reference"]);
  const curves = () => both.page.locator(".panel").first().locator(".legend li").count();
  assert.equal(await curves(), 9);
  const before = await pixels(both.page);
  await both.page.locator(".overlay input").nth(1).uncheck();
  await settle(both.page);
  assert.equal(await curves(), 6);
  assert.ok(changed(before, await pixels(both.page)) > 20);
  await both.close();

  writeFileSync(at("fork.json"), JSON.stringify({ torsor: 1,
    sections: { bar: { shape: "rectangle", width: 0.01, height: 0.006, E: 2.1e11, nu: 0.3, density: 7850 } },
    bodies: [{ name: "prong", type: "beam", section: "bar", elements: 8, length: 0.12 }],
    joints: [{ name: "root", type: "weld", a: "ground", b: "prong.start" }] }));
  torsor("modes", at("fork.json"), "-n", "3", "-o", at("fork"));
  torsor("report", at("fork"), "-o", at("fork.html"));
  const modes = await open(at("fork.html"), { reducedMotion: "reduce" });
  assert.deepEqual(modes.trouble, []);
  assert.equal(await modes.page.evaluate(() => window.torsorReport.state.view.playing), false);
  const first = await pixels(modes.page);
  await modes.page.click("text=Mode 3");
  await settle(modes.page);
  assert.ok(changed(first, await pixels(modes.page)) > 50);
  await modes.close();
  const moving = await open(at("fork.html"), { reducedMotion: "no-preference" });
  assert.equal(await moving.page.evaluate(() => window.torsorReport.state.view.playing), true);
  await moving.close();
});

/** The page of a study of a pendulum: 8 lengths, two masses, one sample that fails, two that are kept. */
async function openStudyPage(options) {
  writeFileSync(at("swing.json"), JSON.stringify({ torsor: 1, gravity: [0, 0, -9.81], parameters: { l: 1, m: 1 },
    bodies: [{ name: "bob", type: "rigid_body", mass: "m", inertia: [0.01, 0.01, 0.01], position: ["l", 0, 0] }],
    joints: [{ name: "pivot", type: "revolute", a: "ground", axis: [0, 1, 0], b: { body: "bob", position: ["-l", 0, 0] } }],
    simulation: { step: 0.01, duration: 1 }, output: { step: 0.02, signals: ["bob.position", "pivot.angle"] } }));
  writeFileSync(at("lengths.json"), JSON.stringify({ torsor_study: 1, title: "Lengths of a pendulum", scene: "swing.json",
    vary: { l: { path: "parameters.l", unit: "m", from: 0.5, to: 2.25, count: 8 }, m: { path: "parameters.m", unit: "kg", values: [1, 2, -1] } },
    outputs: { low: { min: "bob.position.z", unit: "m" }, pull: { max: "sqrt(pivot.force.x^2 + pivot.force.z^2)", unit: "N" } },
    allow_failed: 8, plots: [{ x: "l", y: ["low"] , by: "m" }, { x: "l", y: ["pull"], by: "m" }] }));
  torsor("sweep", at("lengths.json"), "-o", at("study"), "--new", "--keep", "0,21", "-q");
  torsor("report", at("study"), "-o", at("study.html"));
  return open(at("study.html"), options);
}

test("the page of a study: curves, table, a sample that is chosen and its motion", { timeout: 2 * HANG }, async () => {
  const { page, trouble, close, violations } = await openStudyPage({ viewport: { width: 1200, height: 900 } });
  assert.deepEqual(trouble, []);
  assert.deepEqual(await violations(), []);
  assert.equal(await page.title(), "Lengths of a pendulum – Torsor");
  assert.deepEqual(await page.locator(".study .section-head .chip").allTextContents(), ["16 ok", "8 failed"]);
  assert.equal(await page.locator(".study-panel").count(), 2);
  assert.deepEqual(await page.locator(".study-panel").first().locator(".curve-label").allTextContents(), ["m = 1 kg", "m = 2 kg"]);

  // the table: all rows, sorted by a heading and back, filtered
  const column = async (n) => (await page.locator(`.study-table tbody tr > :nth-child(${n})`).allTextContents()).map((t) => parseFloat(t.replace("−", "-")));
  assert.equal((await column(1)).length, 24);
  await page.click(".study-table th button:has-text('low')");
  const rising = (await column(5)).filter((x) => !Number.isNaN(x));
  assert.deepEqual(rising, [...rising].sort((a, b) => a - b));
  assert.equal(rising.length, 16); // the last eight have none
  await page.click(".study-table th button:has-text('low')");
  assert.deepEqual((await column(5)).slice(0, 16), [...rising].reverse());
  const filter = page.locator(".study-table input");
  await filter.fill("l>=2 m=2");
  assert.deepEqual((await column(1)).sort((a, b) => a - b), [19, 22]);
  await filter.fill("failed");
  assert.equal((await column(1)).length, 8);
  await filter.fill("mass>2");
  assert.match(await page.locator(".study-table [role=status]").textContent(), /no column mass/);
  await filter.fill("");

  // a failed sample has its reason and the command
  await page.click('[data-sample="2"] button');
  assert.match(await page.locator(".study-sample .notice").textContent(), /mass/);
  assert.match(await page.locator(".study-sample .command").last().textContent(), /--set 'parameters.m=-1'/);
  assert.match(await page.locator(".study-sample .command").first().textContent(), /--resume --keep 2/);

  // kept ones are seen: another motion, another curve
  await page.click('[data-sample="0"] button');
  await page.evaluate(() => document.querySelector("#stage").scrollIntoView());
  await seek(page, 0.5);
  const short = await pixels(page);
  const reading = () => page.locator(".stage-plots .panel", { hasText: "pivot.angle" }).locator(".reading").allTextContents();
  const before = await reading();
  await page.click('[data-sample="21"] button');
  await settle(page);
  assert.ok(changed(short, await pixels(page)) > 50);
  assert.notDeepEqual(await reading(), before);
  assert.deepEqual(await page.evaluate(() => window.torsorReport.state.view.hidden), [0]);
  assert.deepEqual(await page.locator(".overlay input").evaluateAll((boxes) => boxes.map((b) => b.checked)), [false, true]);

  // a press on a point of a curve chooses its sample: the ring is around it, the row is marked
  const place = await page.evaluate(() => {
    const { study } = window.torsorReport;
    const box = document.querySelector(".study-panel .u-over").getBoundingClientRect();
    return { values: study.samples[12].values, left: box.left, top: box.top, width: box.width };
  });
  const span = (place.values[0] - 0.5) / 1.75;
  const ring = () => page.locator(".study-panel .pick-dot").first().boundingBox();
  await page.evaluate(() => window.torsorReport.state.set({ sample: 12 }));
  const there = await ring();
  // the scale of the plot is the range of the lengths, 0.5 to 2.25 m, in the middle of the ring
  assert.ok(Math.abs(there.x + 8 - place.left - span * place.width) < 2, JSON.stringify([there, place]));
  await page.click('[data-sample="2"] button');
  assert.equal(await page.locator(".study-panel .pick-dot").first().isVisible(), false); // it has no output
  await page.locator(".study-panel .u-over").first().scrollIntoViewIfNeeded();
  await page.evaluate(() => window.torsorReport.state.set({ sample: 12 }));
  const press = await ring();
  await page.evaluate(() => window.torsorReport.state.set({ sample: -1 }));
  await page.mouse.click(press.x + 8, press.y + 8);
  assert.ok([12, 13].includes(await page.evaluate(() => window.torsorReport.state.view.sample))); // the pendulums fall as fast with either mass
  assert.equal(await page.locator('tr[aria-selected="true"]').count(), 1);
  await page.evaluate(axe);
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: theme });
    await settle(page);
    const found = await page.evaluate(() => window.axe.run());
    assert.deepEqual(found.violations.map((v) => `${v.id}: ${v.nodes[0].html}`), []);
  }
  await close();
});

test("pages of studies without kept samples, of indices and on narrow screens", { timeout: 2 * HANG }, async () => {
  await (await openStudyPage()).close(); // writes the scene
  writeFileSync(at("indices.json"), JSON.stringify({ torsor_study: 1, scene: "swing.json", design: { kind: "sobol_indices", samples: 8 },
    vary: { l: { path: "parameters.l", from: 1, to: 2 }, m: { path: "parameters.m", from: 1, to: 2 } }, outputs: { low: { min: "bob.position.z" } } }));
  torsor("sweep", at("indices.json"), "-o", at("indices"), "--new", "-q");
  torsor("report", at("indices"), "-o", at("indices.html"));
  const { page, trouble, close } = await open(at("indices.html"), { viewport: { width: 380, height: 700 } });
  assert.deepEqual(trouble, []);
  assert.equal(await page.locator(".stage-canvas").count(), 0);
  assert.deepEqual(await page.locator(".indices tbody th").allTextContents(), ["l", "m"]);
  // all of it follows from the length
  assert.ok(Number(await page.locator(".indices meter").first().getAttribute("value")) > 0.9);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 380);
  await close();

  // branches of modes over a value, with the order that they cross
  writeFileSync(at("two.json"), JSON.stringify({ torsor: 1, parameters: { k: 50 },
    bodies: [{ name: "a", type: "point_mass", mass: 1 }, { name: "b", type: "point_mass", mass: 1 }],
    joints: [{ name: "x", type: "point_on_line", axis: [1, 0, 0], a: "ground", b: "a" }, { name: "y", type: "point_on_line", axis: [0, 1, 0], a: "ground", b: "b" }],
    forces: [{ name: "one", type: "coordinate_spring", coordinate: "x.travel", stiffness: 100 }, { name: "two", type: "coordinate_spring", coordinate: "y.travel", stiffness: "k" }] }));
  torsor("modes", at("two.json"), "--sweep", "parameters.k=50:200:7", "--orders", "0.1", "-o", at("branches"));
  torsor("report", at("branches"), "-o", at("branches.html"));
  const campbell = await open(at("branches.html"));
  assert.deepEqual(campbell.trouble, []);
  assert.deepEqual(await campbell.page.locator(".study-panel .curve-label").allTextContents(), ["branch 1", "branch 2", "0.1 times the rate"]);
  assert.match(await campbell.page.locator(".clock").textContent(), /parameters.k = 50/);
  await campbell.close();
});
