// Where the two runs of a property part and meet in the lattice of states: a node is how far each
// thread has come, an edge is one step.
import { select } from "d3-selection";
import { h } from "./dom";
import { type Finding, type RunStep, shortened } from "./report";
import { parseState, recordedStates, type State } from "./states";

export interface Node {
  key: string; // by thread: how many steps
  level: number;
  state: State;
  recorded: boolean;
  predicted: boolean;
  fails: boolean;
}
export interface Link {
  from: string;
  to: string;
  step: RunStep;
  recorded: boolean;
  predicted: boolean;
}

export function latticeOf(finding: Finding): { nodes: Node[]; links: Link[] } | undefined {
  const run = finding.run;
  const steps = run?.steps ?? [];
  if (!run?.rule || steps.length === 0 || (run.skipped ?? 0) !== 0 || steps.length > 40) return undefined;
  const recorded = recordedStates(run.initial ?? "", steps);
  if (!recorded) return undefined;
  const nodes = new Map<string, Node>(), links = new Map<string, Link>();
  const walk = (rows: { step: RunStep; state: State }[], which: "recorded" | "predicted"): void => {
    const counts = new Map<number, number>();
    let before = visit("", 0, parseState(run.initial ?? ""), which);
    rows.forEach(({ step, state }, i) => {
      counts.set(step.thread, (counts.get(step.thread) ?? 0) + 1);
      const key = [...counts].sort((a, b) => a[0] - b[0]).map(([thread, count]) => `${thread}:${count}`).join(" ");
      const node = visit(key, i + 1, state, which);
      const name = `${before.key}>${key}`;
      const link = links.get(name) ?? { from: before.key, to: key, step, recorded: false, predicted: false };
      link[which] = true;
      links.set(name, link);
      before = node;
    });
    if (which === "predicted" && !run.repeated) before.fails = true;
  };
  const visit = (key: string, level: number, state: State, which: "recorded" | "predicted"): Node => {
    const node = nodes.get(key) ?? { key, level, state, recorded: false, predicted: false, fails: false };
    node[which] = true;
    nodes.set(key, node);
    return node;
  };
  walk(recorded, "recorded");
  walk(steps.map((step) => ({ step, state: parseState(step.state) })), "predicted");
  return { nodes: [...nodes.values()], links: [...links.values()] };
}

const width = 560, levelHeight = 64, top = 34;

export function latticeView(finding: Finding, choose: (event: number, run: "recorded" | "predicted") => void): HTMLElement | undefined {
  const lattice = latticeOf(finding);
  if (!lattice) return undefined;
  const { nodes, links } = lattice;
  const place = new Map(nodes.map((node) => [node.key, {
    x: node.recorded && node.predicted ? width / 2 : node.recorded ? width / 4 : (3 * width) / 4, y: top + node.level * levelHeight,
  }]));
  const at = (key: string): { x: number; y: number } => place.get(key) ?? { x: 0, y: 0 };
  const names = [...parseState(finding.run?.initial ?? "").keys()];
  const height = top + Math.max(...nodes.map((node) => node.level)) * levelHeight + 34;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const root = select(svg).attr("viewBox", `0 0 ${width} ${height}`).attr("class", "lattice").attr("role", "img").attr("aria-label", "The two runs in the lattice of states");
  const lines = root.append("g").selectAll("g").data(links).join("g")
    .attr("class", (d) => `lattice-link${d.predicted ? " is-predicted" : ""}${d.recorded ? " is-recorded" : ""}`)
    .on("click", (_event, d) => choose(d.step.event, d.predicted ? "predicted" : "recorded"));
  lines.append("line").attr("x1", (d) => at(d.from).x).attr("y1", (d) => at(d.from).y + 13).attr("x2", (d) => at(d.to).x).attr("y2", (d) => at(d.to).y - 13);
  lines.append("text").attr("class", (d) => (Math.min(at(d.from).x, at(d.to).x) < width / 2 ? "is-left" : null))
    .attr("x", (d) => (at(d.from).x + at(d.to).x) / 2 + (Math.min(at(d.from).x, at(d.to).x) < width / 2 ? -14 : 14)).attr("y", (d) => (at(d.from).y + at(d.to).y) / 2 + 4).text((d) => `T${d.step.thread}  ${shortened(d.step.what, 26)}`);
  const shapes = root.append("g").selectAll("g").data(nodes).join("g").attr("class", (d) => `node${d.fails ? " fails" : ""}`)
    .attr("transform", (d) => `translate(${at(d.key).x},${at(d.key).y})`);
  const half = Math.min(Math.max(names.length * 14 + 14, 34), 110);
  shapes.append("rect").attr("x", -half).attr("y", -13).attr("width", 2 * half).attr("height", 26).attr("rx", 13);
  shapes.append("text").attr("y", 4).text((d) => shortened(names.map((name) => d.state.get(name) ?? "?").join("  "), 26));
  shapes.append("title").text((d) => shortened([...d.state].map(([name, value]) => `${name} = ${value}`).join(", "), 600));
  return h("figure", { class: "states lattice-box" }, h("figcaption", {}, `Lattice: ${shortened(names.join(", "), 80)}`), svg as unknown as HTMLElement,
    h("p", { class: "legend" }, h("span", { class: "key plain-line" }, "recorded run"), h("span", { class: "key predicted-line" }, "predicted run"), h("span", { class: "key fails-key" }, "the property fails")),
    h("p", { class: "muted" }, "Only these two runs are drawn. `sooth lattice` draws all."));
}
