// One finding: what it is, its places, the two runs, and what belongs to its kind.
import { circleView, requestText } from "./circle";
import { Detail } from "./detail";
import { Diagram, type Selection } from "./diagram";
import { h } from "./dom";
import { marked, shortTitle } from "./list";
import { withoutScope } from "./names";
import { baseName, type Finding, type Index, shortened, shortName, type Site, threadName } from "./report";
import { statesView } from "./states";

const verbs: Record<string, string> = {
  "read": "reads", "write": "writes", "atomic-read": "atomically reads", "atomic-write": "atomically writes",
  "atomic-rmw": "atomically changes", "acquire": "asks for", "acquire-shared": "asks, shared, for", "free": "frees",
};

export class FindingView {
  readonly element = h("article", { class: "finding" });
  readonly diagram: Diagram;
  private readonly detail: Detail;

  constructor(private readonly finding: Finding, private readonly index: Index) {
    this.detail = new Detail(index, (selection) => this.choose(selection));
    this.diagram = new Diagram(finding, index, (selection) => this.choose(selection));
    const shown = finding.sites.filter((site) => site.role !== "hold");
    this.element.append(h("div", { class: "finding-main" },
      h("header", { class: "finding-head" },
        h("p", { class: "eyebrow" }, h("span", { class: `badge is-${finding.status}` }, finding.status), h("span", {}, finding.kind), h("span", {}, `${finding.model} model`), h("span", {}, `decided by ${finding.engine}`), finding.count > 1 ? h("span", {}, `${finding.count} times`) : undefined, h("span", { class: "mono" }, finding.fingerprint)),
        h("h2", {}, ...marked(shortTitle(finding), 300)),
        ...this.sentences()),
      h("div", { class: "cards" }, ...shown.slice(0, 6).map((site) => this.card(site))),
      ...[statesView(finding, (event, run) => this.choose({ event, run }))].filter((view): view is HTMLElement => view !== undefined),
      h("section", { class: "section" },
        h("div", { class: "section-head" }, h("h3", {}, "Runs"), this.legend(),
          h("button", { type: "button", class: "quiet", "data-action": "folds", click: () => this.diagram.toggleFolds() }, "Unfold / fold all")),
        h("div", { class: "runs-box" }, this.diagram.element)),
      ...[circleView(finding, index, (event) => this.choose({ event, run: "predicted" })), this.pairs()].filter((view): view is HTMLElement => view !== undefined)),
      this.detail.element);
  }

  drawn(): void {
    this.diagram.draw();
    const first = this.finding.sites[0];
    if (first) this.choose({ event: first.event, run: this.diagram.has({ event: first.event, run: "predicted" }) ? "predicted" : "recorded" }, false);
  }
  dispose(): void {
    this.diagram.dispose();
  }

  private current: Selection | undefined;
  choose(selection: Selection, focus = true): void {
    const other = selection.run === "predicted" ? "recorded" : "predicted";
    const real = this.diagram.has(selection) ? selection : { event: selection.event, run: other } as Selection;
    this.current = real;
    this.diagram.choose(real, focus);
    this.detail.show(this.finding, this.diagram, real);
  }
  // From a read to the write that it sees, in the run where it was chosen.
  toWrite(): void {
    if (!this.current) return;
    const write = this.diagram.writeSeen(this.current);
    if (write !== undefined) this.choose({ event: write, run: this.current.run });
  }

  // Why it is an error, what to do, and how to watch it happen.
  private sentences(): HTMLElement[] {
    const { note, reason, advice, toSeeIt } = this.finding;
    const out = [note, reason].flatMap((text) => (text ? [h("p", { class: "note" }, ...marked(text, 1000))] : []));
    if (advice) out.push(h("p", { class: "note advice" }, h("strong", {}, "What to do: "), ...marked(advice, 1000)));
    if (toSeeIt) out.push(h("p", { class: "note" }, "To see it happen: ", h("code", { class: "command" }, shortened(toSeeIt, 1000))));
    return out;
  }

  private legend(): HTMLElement {
    return h("p", { class: "legend" },
      this.diagram.runs.predicted && h("span", { class: "key accent-line" }, "the order that changes"), h("span", { class: "key plain-line" }, "must come before"),
      h("span", { class: "key band-key" }, "holds a lock"), this.diagram.runs.predicted && h("span", { class: "key absent-key" }, "does not happen any more"));
  }

  private card(site: Site): HTMLElement {
    const code = this.index.line(site.file, site.line)?.trim();
    const short = (name: string): string => this.short(shortName(name));
    const locks = site.locks.map((lock) => short(lock.name));
    const verb = verbs[site.kind];
    const event = this.index.eventNumbered(site.event);
    const what = site.role === "request" ? requestText(site, this.index, short(site.variable)) : event?.what ?? site.role;
    return h("button", { type: "button", class: "card", "data-site": site.event, click: () => this.choose({ event: site.event, run: "predicted" }) },
      h("span", { class: "card-head" }, h("span", {}, h("strong", {}, threadName(this.finding, site.thread)),
        ...(verb && site.role !== "request" ? [` ${verb} `, h("code", {}, shortened(short(site.variable), 80))] : [` ${shortened(shortName(what), 120)}`])),
        h("span", { class: "muted" }, locks.length > 0 ? `holds ${shortened(locks.join(", "), 80)}` : "holds no lock")),
      h("span", { class: "card-code" }, h("span", { class: "number" }, site.line ? String(site.line) : ""), h("code", {}, code ?? ""),
        h("span", { class: "muted card-place" }, site.file ? `${shortened(baseName(site.file), 60)}, ${shortened(site.function, 80)}` : shortened(site.function, 80))));
  }

  // Without its scope, if no other name of the finding is the same then: the title has all of it.
  private short(name: string): string {
    const all = new Set(this.finding.sites.flatMap((site) => [site.variable, ...site.locks.map((lock) => lock.name)]).map(shortName));
    const short = withoutScope(name);
    return [...all].filter((other) => withoutScope(other) === short).length > 1 ? name : short;
  }

  private pairs(): HTMLElement | undefined {
    const pairs = this.finding.pairs ?? [];
    if (pairs.length < 2) return undefined;
    const rows = pairs.slice(0, 500).map((pair) => h("tr", {},
      h("td", {}, ...pair.sites.filter((site) => site.role !== "hold").flatMap((site, i) => [i > 0 ? h("span", { class: "muted" }, " with ") : "", h("span", {}, `${site.kind} ${baseName(site.file)}:${site.line}`), h("span", { class: "muted" }, ` ${shortened(site.function, 60)}`)])),
      h("td", { class: "muted" }, pair.status), h("td", { class: "number" }, `${pair.count}×`)));
    return h("details", { class: "section pairs" }, h("summary", {}, `${pairs.length} pairs of lines`),
      h("table", {}, h("tbody", {}, ...rows)),
      pairs.length > rows.length ? h("p", { class: "muted" }, `and ${pairs.length - rows.length} more (--json has all of them)`) : undefined);
  }
}
