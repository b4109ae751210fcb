// The circle of a deadlock: who holds what, and who asks for it.
import { select } from "d3-selection";
import { h } from "./dom";
import { type Finding, placeText, shortened, shortName, type Site, threadName } from "./report";

interface Wait {
  site: Site;
  asks: string;
  holder: number | undefined; // thread
}

// Each request, and the thread of the circle that holds what it asks for.
export function waits(finding: Finding): Wait[] {
  const requests = finding.sites.filter((site) => site.role === "request");
  const holds = finding.sites.filter((site) => site.role === "hold");
  return requests.map((site) => {
    const by = holds.find((hold) => hold.variable === site.variable && hold.thread !== site.thread) ??
      requests.find((other) => other.thread !== site.thread && other.locks.some((lock) => lock.name === site.variable));
    return { site, asks: site.variable, holder: by?.thread };
  });
}

export function circleView(finding: Finding, choose: (event: number) => void): HTMLElement | undefined {
  if (finding.kind !== "deadlock") return undefined;
  const all = waits(finding);
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
    .attr("aria-label", all.map((wait) => `${threadName(finding, wait.site.thread)} asks for ${wait.asks}`).join("; "));
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
    root.append("text").attr("class", "asks").attr("x", label.x).attr("y", label.y + (ny > 0 ? 22 : -12)).text(`asks for ${shortened(shortName(wait.asks), 60)}`);
  }
  for (const [i, wait] of all.entries()) {
    const { x, y } = at(i);
    const node = root.append("g").attr("class", "thread").attr("transform", `translate(${x},${y})`).on("click", () => choose(wait.site.event));
    node.append("rect").attr("x", -half).attr("y", -27).attr("width", 2 * half).attr("height", 54).attr("rx", 10);
    node.append("text").attr("y", -5).text(shortened(threadName(finding, wait.site.thread), 20));
    const held = wait.site.locks.map((lock) => shortName(lock.name)).join(", ");
    node.append("text").attr("class", "small").attr("y", 14).text(shortened(held ? `holds ${held}` : placeText(wait.site), count <= 2 ? 38 : 22));
    node.append("title").text(`${threadName(finding, wait.site.thread)} asks for ${wait.asks} at ${placeText(wait.site)}`);
  }
  return h("section", { class: "section" }, h("h3", {}, "Circle"), svg as unknown as HTMLElement);
}
