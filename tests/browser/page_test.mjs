// The page in a real browser, made by the built sooth from recorded programs: opening from disk, choosing, filtering, folding,
// from read to write, keyboard, both themes, narrow and wide; hostile and large reports; the server.
// usage: node page_test.mjs --build BUILD --work FOLDER [--shots FOLDER]
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { open, withBrowser } from "./browser.mjs";
import { hostileReport, largeReport, waitingReport } from "./reports.mjs";

const { values } = parseArgs({ options: { build: { type: "string" }, work: { type: "string" }, shots: { type: "string" } } });
const build = resolve(values.build), work = resolve(values.work);
const here = new URL(".", import.meta.url).pathname, root = resolve(here, "../..");
const sooth = join(build, "bin/sooth");
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });

const run = (program, ...words) => execFileSync(program, words, { cwd: work, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
const check = (...words) => {
  const ended = spawnSync(sooth, ["check", ...words], { cwd: work, encoding: "utf8" });
  assert.equal(ended.status, 66, ended.stderr);
};

run("clang-19", "-O1", "-c", join(root, "tests/pairs/order.c"), "-o", "order.o");
copyFileSync(join(here, "shop.cpp"), join(work, "shop.cpp"));
run(join(build, "bin/sooth-c++"), "-g", "-O1", "-pthread", "shop.cpp", "order.o", "-o", "shop");
run(sooth, "record", "-o", "shop.sooth", "./shop");
check("shop.sooth", "--html", "shop.html", "--json", "shop.json", "--whole-witness");
const landing = join(root, "examples/landing");
copyFileSync(join(landing, "landing.cpp"), join(work, "landing.cpp"));
run(sooth, "c++", "-g", "-O1", "-pthread", `-fsooth-property=${landing}/safe_landing.prop`, "landing.cpp", "-o", "landing");
spawnSync(sooth, ["record", "--property", `${landing}/safe_landing.prop`, "-o", "landing.sooth", "./landing"], { cwd: work });
check("landing.sooth", "--property", `${landing}/safe_landing.prop`, "--html", "landing.html");

const problems = [];
const tests = [];
const test = (name, body) => tests.push([name, body]);
const file = (name) => `file://${join(work, name)}`;
const text = async (page, selector) => (await page.locator(selector).first().textContent()) ?? "";

test("opens from disk, and asks for nothing else", async (browser) => {
  const page = await open(browser, file("shop.html"), problems);
  const report = JSON.parse(readFileSync(join(work, "shop.json"), "utf8"));
  assert.equal(await page.locator(".item").count(), report.findings.length);
  assert.ok(report.findings.some((finding) => finding.kind === "race") && report.findings.some((finding) => finding.kind === "deadlock"));
  assert.match(await page.title(), /shop/);
  await page.close();
});

test("a finding says why it is one, what to do, and how to see it happen", async (browser) => {
  const page = await open(browser, file("shop.html"), problems);
  const report = JSON.parse(readFileSync(join(work, "shop.json"), "utf8"));
  const race = report.findings.find((finding) => finding.title.includes("price"));
  await page.locator(".item", { hasText: "price" }).click();
  const head = await text(page, ".finding-head");
  for (const sentence of [race.reason, race.advice, race.toSeeIt]) assert.ok(sentence && head.includes(sentence.replaceAll("`", "")), sentence);
  assert.match(race.toSeeIt, /^sooth replay .*shop/);
  await page.close();
});

test("both runs show the events that the text shows, and fold those that explain nothing", async (browser) => {
  const page = await open(browser, file("shop.html"), problems);
  const report = JSON.parse(readFileSync(join(work, "shop.json"), "utf8"));
  const race = report.findings.find((finding) => finding.title.includes("price"));
  await page.locator(".item", { hasText: "price" }).click();
  for (const run of ["recorded", "predicted"]) {
    const rows = await page.locator(`.row[data-run=${run}]`).evaluateAll((all) => all.map((row) => Number(row.dataset.event)));
    assert.ok(race.story[run].length > 0);
    for (const event of race.story[run]) assert.ok(rows.includes(event), `${run} ${event}`);
  }
  await page.close();
});

test("choosing another finding shows it, and its address leads back to it", async (browser) => {
  const page = await open(browser, file("shop.html"), problems);
  const race = page.locator(".item", { hasText: "price" });
  await race.click();
  assert.match(await text(page, ".finding h2"), /data race on price/);
  assert.equal(await race.getAttribute("aria-selected"), "true");
  const hash = await page.evaluate(() => location.hash);
  const again = await open(browser, file("shop.html") + hash, problems);
  assert.match(await text(again, ".finding h2"), /data race on price/);
  await again.close();
  await page.close();
});

test("filters by kind, status, file, thread and words", async (browser) => {
  const page = await open(browser, file("shop.html"), problems);
  const all = await page.locator(".item").count();
  await page.selectOption("[data-filter=kind]", "deadlock");
  assert.equal(await page.locator(".item").count(), 1);
  assert.match(await text(page, ".finding h2"), /deadlock/);
  await page.selectOption("[data-filter=kind]", "");
  await page.selectOption("[data-filter=status]", "predicted");
  assert.equal(await page.locator(".item").count(), all);
  await page.selectOption("[data-filter=file]", { index: 1 });
  assert.equal(await page.locator(".item").count(), all);
  await page.selectOption("[data-filter=thread]", "2");
  assert.equal(await page.locator(".item").count(), all);
  await page.fill(".search", "no such words");
  assert.equal(await page.locator(".item").count(), 0);
  assert.match(await text(page, ".main"), /No finding passes/);
  await page.fill(".search", "price");
  assert.equal(await page.locator(".item").count(), 1);
  await page.close();
});

test("shows both runs, what changes between them, and the locks", async (browser) => {
  const page = await open(browser, file("shop.html"), problems);
  await page.locator(".item", { hasText: "price" }).click();
  assert.deepEqual(await page.locator(".run-head").allTextContents(), ["Recorded run", "Predicted run"]);
  assert.ok(await page.locator(".edge.is-reversed").count() > 0, "the order of the door's lock changes");
  assert.ok(await page.locator(".joiner.is-accent").count() >= 2);
  assert.ok(await page.locator(".band rect").count() > 0);
  assert.equal(await page.locator('[data-run="predicted"].is-next').count(), 2);
  assert.match(await text(page, ".meet"), /Both can happen now/);
  const recorded = page.locator('.row[data-run="recorded"].is-place');
  assert.match((await recorded.allTextContents()).join("|"), /writes price = 4.*reads price = 4/);
  await page.close();
});

test("folds and unfolds what does not matter", async (browser) => {
  const page = await open(browser, file("shop.html"), problems);
  await page.locator(".item", { hasText: "price" }).click();
  const rows = () => page.locator(".row").count();
  const before = await rows();
  const fold = page.locator("button.fold-line").first();
  const count = Number.parseInt((await fold.textContent()) ?? "0", 10);
  assert.ok(count >= 2);
  await fold.click();
  assert.equal(await rows(), before + count);
  await page.locator("button.fold-line", { hasText: "fold again" }).first().click();
  assert.equal(await rows(), before);
  await page.locator("[data-action=folds]").click();
  assert.ok(await rows() > before);
  await page.close();
});

test("from an event to its source, and from a read to the write it sees", async (browser) => {
  const page = await open(browser, file("shop.html"), problems);
  await page.locator(".item", { hasText: "price" }).click();
  await page.locator('.row[data-run="recorded"]', { hasText: "reads price" }).click();
  assert.match(await text(page, ".detail h3"), /reads price = 4/);
  const source = readFileSync(join(here, "shop.cpp"), "utf8").split("\n");
  const marked = await text(page, ".source .is-marked");
  const line = Number.parseInt(marked, 10);
  assert.equal(source[line - 1].trim(), "return price;");
  assert.ok(marked.includes("return price;"));
  assert.match(await text(page, ".detail dl"), /value.*4/);
  assert.match(await text(page, ".stack"), /look_at_price/);
  const link = page.locator('.seen [data-in="recorded"]');
  assert.match((await link.textContent()) ?? "", /writes price = 4/);
  await link.click();
  assert.match(await text(page, ".detail h3"), /writes price = 4/);
  assert.match(await text(page, '.row.is-chosen[data-run="recorded"]'), /writes price/);
  await page.close();
});

test("keyboard", async (browser) => {
  const page = await open(browser, file("shop.html"), problems);
  const heading = () => text(page, ".finding h2");
  const first = await heading();
  await page.keyboard.press("j");
  const second = await heading();
  assert.notEqual(first, second);
  await page.keyboard.press("k");
  assert.equal(await heading(), first);
  await page.keyboard.press("/");
  await page.keyboard.type("price");
  assert.match(await heading(), /price/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("e");
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-run") + " " + document.activeElement?.getAttribute("data-event"));
  const at = await focused();
  assert.match(at, /^(recorded|predicted) \d+$/);
  await page.keyboard.press("ArrowLeft");
  assert.match(await focused(), /^recorded/);
  await page.locator('.row[data-run="recorded"]', { hasText: "reads price" }).focus();
  await page.keyboard.press("Enter");
  assert.match(await text(page, ".detail h3"), /reads price/);
  await page.keyboard.press("w");
  assert.match(await text(page, ".detail h3"), /writes price/);
  await page.keyboard.press("c");
  assert.match(await text(page, ".coverage"), /How complete/);
  await page.keyboard.press("?");
  assert.ok(await page.locator("dialog[open]").isVisible());
  await page.keyboard.press("Escape");
  await page.close();
});

test("dark and light", async (browser) => {
  const page = await open(browser, file("shop.html"), problems);
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await paper();
  assert.notEqual(light, dark);
  await page.keyboard.press("t");
  assert.equal(await paper(), light);
  await page.locator("[data-action=theme]").click();
  assert.equal(await paper(), dark);
  await page.evaluate(() => localStorage.clear());
  await page.close();
});

test("narrow and wide", async (browser) => {
  const page = await open(browser, file("shop.html"), problems);
  for (const width of [700, 1280, 2560]) {
    await page.setViewportSize({ width, height: 900 });
    await page.waitForTimeout(50);
    const sizes = await page.evaluate(() => ({
      over: document.documentElement.scrollWidth - innerWidth,
      detail: document.querySelector(".detail")?.getBoundingClientRect(), main: document.querySelector(".finding-main")?.getBoundingClientRect(),
    }));
    assert.ok(sizes.over <= 0, `${width}: the page is ${sizes.over} pixels too wide`);
    if (width === 2560) assert.ok(sizes.detail.left >= sizes.main.right - 1, "the source stands beside the runs");
    else assert.ok(sizes.detail.top >= sizes.main.top + 100, "the source stands below the runs");
  }
  await page.close();
});

test("the circle of a deadlock", async (browser) => {
  const page = await open(browser, file("shop.html"), problems);
  await page.selectOption("[data-filter=kind]", "deadlock");
  const words = await text(page, ".circle");
  assert.match(words, /asks for till_lock/);
  assert.match(words, /holds stock_lock/);
  assert.equal(await page.locator(".circle .wait").count(), 2);
  await page.close();
});

test("a hang: one run, the last signal, and who waits for whom", async (browser) => {
  writeFileSync(join(work, "queue.cpp"), `#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
template <typename T> struct Queue {
  std::mutex mutex;
  std::condition_variable filled;
  std::deque<T> items;
  void put(T item) {
    const std::lock_guard<std::mutex> guard(mutex);
    items.push_back(item);
    filled.notify_one();
  }
  void take() {
    std::unique_lock<std::mutex> lock(mutex);
    filled.wait(lock, [&] { return !items.empty(); });
    items.pop_front();
  }
};
int main() {
  Queue<std::string> queue;
  std::thread taker([&] { queue.take(); queue.take(); });
  queue.put("one");
  taker.join();
}
`);
  spawnSync(sooth, ["run", "--html", "queue.html", "--json", "queue.json", "queue.cpp"], { cwd: work });
  const [hang] = JSON.parse(readFileSync(join(work, "queue.json"), "utf8")).findings;
  assert.match(hang.advice, /was signalled at .*queue.cpp:13 for the last time/);
  const page = await open(browser, file("queue.html"), problems);
  assert.equal(await text(page, ".finding h2"), "deadlock over Queue<std::string>::filled");
  assert.equal(await page.locator(".run-head").count(), 1, "the recorded run alone");
  assert.equal(await page.locator(".row", { hasText: "signals filled" }).count(), 1);
  assert.equal(await page.locator(".circle .wait").count(), 1, "main waits for the thread's end, the thread for nobody's");
  assert.match(await text(page, ".circle"), /waits on filled/);
  const woken = await page.locator(".row", { hasText: "wakes from filled" }).count(); // if the taker was there before the item
  assert.ok(await page.locator(".edge title", { hasText: "through filled" }).count() <= woken, "no signal leads to the wait without end");
  await page.close();
});

test("a property's states along both runs, the failing one marked", async (browser) => {
  const page = await open(browser, file("landing.html"), problems);
  assert.match(await text(page, ".rule"), /safe_landing/);
  const failing = await text(page, '.states tr.fails[data-state="predicted"]');
  assert.match(failing, /landing = 1|radio = 0/);
  assert.match(await text(page, ".verdict"), /fails here/);
  assert.equal(await page.locator(".lattice .node.fails").count(), 1);
  assert.ok(await page.locator(".lattice .lattice-link.is-recorded").count() > 0 && await page.locator(".lattice .lattice-link.is-predicted:not(.is-recorded)").count() > 0, "the runs part");
  await page.close();
});

async function served(folder, body) {
  const server = spawn(sooth, ["report", folder, "--serve"], { cwd: work, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const address = await new Promise((found, failed) => {
      server.stdout.on("data", (data) => found(String(data).trim()));
      server.on("exit", () => failed(new Error("the server has ended")));
    });
    await body(address);
  } finally {
    server.kill();
  }
}
const status = (address, path, options = {}) => new Promise((found, failed) => {
  http.request(new URL(path, address), options, (answer) => { answer.resume(); found(answer.statusCode); }).on("error", failed).end();
});

test("the server: all reports of a folder, for this machine alone", async (browser) => {
  mkdirSync(join(work, "reports"));
  writeFileSync(join(work, "reports", "shop one.json"), readFileSync(join(work, "shop.json")));
  writeFileSync(join(work, "reports", "other.json"), "{}");
  await served("reports", async (address) => {
    const page = await open(browser, address, []);
    assert.match(await text(page, ".shelf"), /2 reports/);
    assert.ok((await page.locator(".shelf table").boundingBox()).width > 600, "it has the whole page");
    assert.match(await text(page, ".shelf"), /no report of Sooth/);
    await page.locator("a", { hasText: "shop one.json" }).click();
    await page.waitForSelector(".runs .row");
    assert.equal(await page.locator("a", { hasText: "All reports" }).count(), 1);
    await page.close();
    assert.equal(await status(address, "/report/shop%20one.json"), 200);
    assert.equal(await status(address, "/report/other.json"), 404);
    assert.equal(await status(address, "/report/..%2Fshop.json"), 404);
    assert.equal(await status(address, "/", { method: "POST" }), 405);
    assert.equal(await status(address, "/", { headers: { host: "example.com" } }), 403);
    const port = new URL(address).port;
    const listening = readFileSync("/proc/net/tcp", "utf8").split("\n").map((row) => row.trim().split(/\s+/))
      .filter((row) => row[3] === "0A" && row[1]?.endsWith(`:${Number(port).toString(16).toUpperCase().padStart(4, "0")}`));
    assert.deepEqual(listening.map((row) => row[1]?.slice(0, 8)), ["0100007F"]);
  });
});

test("text of the program stays text, whatever it contains", async (browser) => {
  mkdirSync(join(work, "hostile"));
  writeFileSync(join(work, "hostile", "hostile.json"), JSON.stringify(hostileReport(JSON.parse(readFileSync(join(work, "shop.json"), "utf8")))));
  await served("hostile", async (address) => {
    const page = await open(browser, `${address}report/hostile.json`, problems);
    for (const item of await page.locator(".item").all()) {
      await item.click();
      for (const row of (await page.locator(".row").all()).slice(0, 6)) await row.click();
    }
    await page.keyboard.press("c");
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.equal(await page.locator("img, iframe, b.injected").count(), 0);
    assert.equal(await page.locator("script").count(), 2); // the report and the page's own
    await page.close();
  });
});

test("a wait gives its lock up: the lock's band ends there", async (browser) => {
  mkdirSync(join(work, "waiting"));
  writeFileSync(join(work, "waiting", "waiting.json"), JSON.stringify(waitingReport()));
  await served("waiting", async (address) => {
    const page = await open(browser, `${address}report/waiting.json`, problems);
    const band = await page.locator("g.band").boundingBox();
    const waits = await page.locator(".row", { hasText: "waits on" }).boundingBox();
    const writes = await page.locator(".row", { hasText: "writes x = 2" }).boundingBox();
    assert.ok(band.y + band.height > waits.y && band.y + band.height <= writes.y, JSON.stringify({ band, waits, writes }));
    await page.close();
  });
});

test("500 findings and 100,000 events", async (browser) => {
  mkdirSync(join(work, "large"));
  writeFileSync(join(work, "large", "large.json"), JSON.stringify(largeReport(500, 100_000)));
  await served("large", async (address) => {
    const started = Date.now();
    const page = await open(browser, `${address}report/large.json`, problems);
    const opened = Date.now();
    assert.equal(await page.locator(".item").count(), 500);
    await page.locator(".item").nth(250).click();
    const elements = await page.evaluate(() => document.querySelectorAll("*").length);
    assert.ok(elements < 20_000, `${elements} elements`);
    await page.locator(".item").nth(0).click(); // this one has nearly all events
    assert.ok(await page.locator(".row").count() < 1000);
    await page.locator("button.fold-line").first().click();
    assert.ok(await page.locator(".row").count() < 1500);
    console.log(`  opened in ${opened - started} ms, then ${Date.now() - opened} ms for two findings and a fold`);
    await page.close();
  });
});

async function shots(browser, folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of ["shop", "landing"])
    for (const [width, height] of [[1280, 800], [2560, 1400]])
      for (const scheme of ["light", "dark"]) {
        const page = await open(browser, file(`${name}.html`), problems);
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize({ width, height });
        if (name === "shop") await page.locator(".item", { hasText: "price" }).click();
        await page.waitForTimeout(100);
        await page.screenshot({ path: join(folder, `${name}-${width}-${scheme}.png`) });
        await page.close();
      }
}

let failed = 0;
await withBrowser(async (browser) => {
  for (const [name, body] of tests) {
    problems.length = 0;
    try {
      await body(browser);
      assert.deepEqual(problems, []);
      console.log(`ok      ${name}`);
    } catch (error) {
      failed++;
      console.log(`FAILED  ${name}\n${error.stack}\n${problems.join("\n")}`);
    }
  }
  if (values.shots) await shots(browser, resolve(values.shots));
});
console.log(`${tests.length - failed} of ${tests.length} passed`);
process.exit(failed === 0 ? 0 : 1);
