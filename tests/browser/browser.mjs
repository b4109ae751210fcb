// Chromium for a test: a new profile each time, nothing from the network.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRequire } from "node:module";

const require = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");

const program = process.env.SOOTH_CHROMIUM ?? "/usr/bin/chromium";
const options = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

export async function withBrowser(body) {
  const profile = mkdtempSync(join(tmpdir(), "sooth-browser-"));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: program, headless: true, args: options, viewport: { width: 1280, height: 800 }, colorScheme: "light",
  });
  try {
    await body(browser);
  } finally {
    await browser.close();
  }
}

// Opens the page and waits until it shows something. `problems` gets what the browser complains of, and every request that is
// not for the page itself.
export async function open(browser, url, problems) {
  const page = await browser.newPage();
  page.setDefaultTimeout(20000);
  page.on("pageerror", (error) => problems.push(`${error.message}`));
  page.on("console", (message) => { if (message.type() === "error") problems.push(message.text()); });
  page.on("dialog", (dialog) => { problems.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => { if (request.url().split("#")[0] !== url.split("#")[0] && !request.url().startsWith("data:")) problems.push(`asks for ${request.url()}`); });
  await page.goto(url);
  await page.waitForSelector(".runs .row, .coverage, .shelf");
  return page;
}
