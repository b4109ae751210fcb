// Who waits for whom in a deadlock: who holds what, and who asks for it.
import { select } from "d3-selection";
import { h } from "./dom";
import { withoutScope } from "./names";
import { type Finding, type Index, placeText, shortened, shortName, type Site, threadName } from "./report";

interface Wait {
  site: Site;
  what: string; // "asks for `m`"
  holder: number | undefined; // thread; of a wait for a signal nobody
}

// What a request does, in words. It ends with the name of what it asks for.
const requestVerbs: Record<string, string> = {
  "acquire-shared": "asks, shared, for", "wait": "waits on", "wake": "waits on", "futex-wait": "waits on", "barrier-leave": "waits at",
};
export function requestText(site: Site, index: Index, name = site.variable): string {
  if (site.kind === "join") return index.eventNumbered(site.event)?.what ?? "joins a thread";
  return `${requestVerbs[site.kind] ?? "asks for"} ${name}`;
}

// Each request, and the thread of the circle that holds what it asks for.
function waits(finding: Finding, index: Index): Wait[] {
  const requests = finding.sites.filter((site) => site.role === "request");
  const holds = finding.sites.filter((site) => site.role === "hold");
  return requests.map((site) => {
    const by = holds.find((hold) => hold.variable === site.variable && hold.thread !== site.thread) ??
      requests.find((other) => other.thread !== site.thread && other.locks.some((lock) => lock.name === site.variable));
    const joined = site.kind === "join" ? Number.parseInt(index.eventNumbered(site.event)?.value ?? "", 16) : undefined;
    return { site, what: requestText(site, index, withoutScope(shortName(site.variable))), holder: joined ?? by?.thread };
  });
}

export function circleView(finding: Finding, index: Index, choose: (event: number) => void): HTMLElement | undefined {
  if (finding.kind !== "deadlock") return undefined;
  const all = waits(finding, index);
  if (all.length === 0 || all.length > 12) return undefined;
  const count = all.length;
  const half = count <= 2 ? 118 : 72; // of a thread's box
  const width = 640, height = count <= 2 ? 190 : 360;
  const at = (i: number): { x: number; y: number } => {
    if (count === 1) return { x: width / 2, y: height / 2 };
    if (count === 2) return { x: i === 0 ? 130 : width - 130, y: height / 2 };
    const angle = (2 * Math.PI * i) / count - Math.PI / 2;
    return { x: width / 2 + 220 * Math.cos(angle), y: height / 2 + 130 * Math.sin(angle) };
  };
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const root = select(svg).attr("viewBox", `0 0 ${width} ${height}`).attr("class", "circle").attr("role", "img")
    .attr("aria-label", all.map((wait) => `${threadName(finding, wait.site.thread)} ${wait.what}`).join("; "));
  root.append("defs").append("marker").attr("id", "tip").attr("viewBox", "0 0 10 10").attr("refX", 9).attr("refY", 5)
    .attr("markerWidth", 7).attr("markerHeight", 7).attr("orient", "auto-start-reverse").append("path").attr("d", "M0,0L10,5L0,10z").attr("class", "tip");
  const placeOf = new Map(all.map((wait, i) => [wait.site.thread, at(i)]));
  for (const [i, wait] of all.entries()) {
    const from = at(i), to = wait.holder === undefined ? undefined : placeOf.get(wait.holder);
    if (!to || to === from) continue;
    const dx = to.x - from.x, dy = to.y - from.y, length = Math.hypot(dx, dy) || 1;
    const bend = count === 2 ? 46 : 24, nx = -dy / length, ny = dx / length;
    const mid = { x: (from.x + to.x) / 2 + nx * bend * 1.6, y: (from.y + to.y) / 2 + ny * bend * 1.6 };
    const cut = half + (count === 2 ? 6 : -10);
    const start = { x: from.x + (dx / length) * cut + nx * bend * 0.5, y: from.y + (dy / length) * (count === 2 ? cut : 26) + ny * bend * 0.5 };
    const end = { x: to.x - (dx / length) * cut + nx * bend * 0.5, y: to.y - (dy / length) * (count === 2 ? cut : 26) + ny * bend * 0.5 };
    root.append("path").attr("class", "wait").attr("d", `M${start.x},${start.y}Q${mid.x},${mid.y} ${end.x},${end.y}`).attr("marker-end", "url(#tip)");
    const label = { x: (from.x + to.x) / 2 + nx * bend * 1.12, y: (from.y + to.y) / 2 + ny * bend * 1.12 };
    root.append("text").attr("class", "asks").attr("x", label.x).attr("y", label.y + (ny > 0 ? 22 : -12)).text(shortened(wait.what, 60));
  }
  for (const [i, wait] of all.entries()) {
    const { x, y } = at(i);
    const node = root.append("g").attr("class", "thread").attr("transform", `translate(${x},${y})`).on("click", () => choose(wait.site.event));
    node.append("rect").attr("x", -half).attr("y", -27).attr("width", 2 * half).attr("height", 54).attr("rx", 10);
    node.append("text").attr("y", -5).text(shortened(threadName(finding, wait.site.thread), 20));
    const held = wait.site.locks.map((lock) => withoutScope(shortName(lock.name))).join(", ");
    const below = held ? `holds ${held}` : wait.holder === undefined ? wait.what : placeText(wait.site);
    node.append("text").attr("class", "small").attr("y", 14).text(shortened(below, count <= 2 ? 38 : 22));
    node.append("title").text(`${threadName(finding, wait.site.thread)} ${wait.what} at ${placeText(wait.site)}`);
  }
  return h("section", { class: "section" }, h("h3", {}, "Who waits for whom"), svg as unknown as HTMLElement);
}
