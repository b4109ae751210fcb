// The findings, and what narrows them down: kind, status, file, thread, words.
import { h, replace } from "./dom";
import { baseName, type Finding, placeText, type Report, shortened } from "./report";

export interface Filter {
  kind: string;
  status: string;
  file: string;
  thread: string;
  words: string;
}
export const noFilter: Filter = { kind: "", status: "", file: "", thread: "", words: "" };

const filesOf = (finding: Finding): string[] => [
  ...finding.sites.map((site) => site.file), ...(finding.pairs ?? []).flatMap((pair) => pair.sites.map((site) => site.file))];
const threadsOf = (finding: Finding): number[] => finding.threads.map((thread) => thread.thread);

export function passes(finding: Finding, filter: Filter): boolean {
  if (filter.kind && finding.kind !== filter.kind) return false;
  if (filter.status && finding.status !== filter.status) return false;
  if (filter.file && !filesOf(finding).includes(filter.file)) return false;
  if (filter.thread && !threadsOf(finding).includes(Number(filter.thread))) return false;
  if (!filter.words) return true;
  const text = [titleOf(finding), finding.fingerprint, finding.note ?? "",
    ...finding.sites.flatMap((site) => [site.variable, site.function, site.file])].join(" ").toLowerCase();
  return filter.words.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

export const titleOf = (finding: Finding): string => finding.title ?? `${finding.status} ${finding.kind}`;

// "data race on `x`" without the status, which has a badge of its own.
export const shortTitle = (finding: Finding): string => {
  const title = titleOf(finding);
  return title.startsWith(`${finding.status} `) ? title.slice(finding.status.length + 1) : title;
};

// Text with `names` in it, these as code.
export function marked(text: string, most = 200): Node[] {
  return shortened(text, most).split("`").map((part, i) => (i % 2 === 1 ? h("code", {}, part) : document.createTextNode(part)));
}

export class List {
  readonly element = h("nav", { class: "list", "aria-label": "Findings" });
  private filter: Filter = { ...noFilter };
  private readonly items = h("div", { class: "items", role: "listbox", "aria-label": "Findings" });
  private readonly count = h("p", { class: "muted count", "aria-live": "polite" });
  private readonly search: HTMLInputElement;
  private shown: Finding[] = [];
  private chosen = 0;

  constructor(private readonly report: Report, private readonly choose: (finding: Finding | undefined) => void) {
    this.search = h("input", {
      type: "search", placeholder: "Search", "aria-label": "Search the findings", class: "search",
      input: () => this.set("words", this.search.value),
    });
    replace(this.element, h("div", { class: "filters" }, this.search, ...this.selects(), this.count), this.items);
    this.update();
  }

  private selects(): HTMLElement[] {
    const counted = (values: string[]): Map<string, number> => {
      const out = new Map<string, number>();
      for (const value of values) out.set(value, (out.get(value) ?? 0) + 1);
      return out;
    };
    const { findings } = this.report;
    const rows: [keyof Filter, string, Map<string, number>, (value: string) => string][] = [
      ["kind", "All kinds", counted(findings.map((finding) => finding.kind)), (value) => value],
      ["status", "Any status", counted(findings.map((finding) => finding.status)), (value) => value],
      ["file", "All files", counted(findings.flatMap((finding) => [...new Set(filesOf(finding))]).filter(Boolean)), baseName],
      ["thread", "All threads", counted(findings.flatMap((finding) => [...new Set(threadsOf(finding))]).map(String)), (value) => `thread ${value}`],
    ];
    return rows.map(([name, all, values, text]) => {
      const box = h("select", { "aria-label": `Filter by ${name}`, "data-filter": name, change: () => this.set(name, box.value) },
        h("option", { value: "" }, all),
        ...[...values].sort((a, b) => a[0].localeCompare(b[0], undefined, { numeric: true }))
          .map(([value, count]) => h("option", { value }, `${shortened(text(value), 60)} (${count})`)));
      return box;
    });
  }

  private set(name: keyof Filter, value: string): void {
    this.filter = { ...this.filter, [name]: value };
    this.update();
  }

  private update(): void {
    this.shown = this.report.findings.filter((finding) => passes(finding, this.filter));
    const all = this.report.findings.length;
    this.count.textContent = this.shown.length === all ? `${all} finding${all === 1 ? "" : "s"}` : `${this.shown.length} of ${all} findings`;
    replace(this.items, ...this.shown.map((finding) => this.item(finding)));
    if (!this.shown.some((finding) => finding.id === this.chosen)) {
      const first = this.shown[0];
      this.chosen = first?.id ?? 0;
      this.choose(first);
    }
    this.mark();
  }

  private item(finding: Finding): HTMLElement {
    const places = [...new Set(finding.sites.filter((site) => site.role !== "hold").map(placeText).filter(Boolean))];
    return h("button", {
      type: "button", class: "item", role: "option", "data-id": finding.id, click: () => this.pick(finding),
    },
      h("span", { class: "item-title" }, ...marked(shortTitle(finding), 120)),
      h("span", { class: "item-more" }, h("span", { class: `badge is-${finding.status}` }, finding.status),
        h("span", { class: "places" }, shortened(places.slice(0, 3).join(", "), 80)),
        (finding.pairs?.length ?? 0) > 1 ? h("span", { class: "muted" }, `${finding.pairs?.length ?? 0} pairs`) : undefined));
  }

  pick(finding: Finding): void {
    this.chosen = finding.id;
    this.mark();
    this.choose(finding);
  }
  pickBy(fingerprint: string): boolean {
    const finding = this.shown.find((one) => one.fingerprint === fingerprint);
    if (finding) this.pick(finding);
    return finding !== undefined;
  }
  move(by: number): void {
    const at = this.shown.findIndex((finding) => finding.id === this.chosen);
    const next = this.shown[Math.min(Math.max(at + by, 0), this.shown.length - 1)];
    if (next) this.pick(next);
  }
  focusSearch(): void {
    this.search.focus();
    this.search.select();
  }

  private mark(): void {
    for (const item of this.items.children) {
      const isChosen = (item as HTMLElement).dataset["id"] === String(this.chosen);
      item.setAttribute("aria-selected", String(isChosen));
      if (isChosen) item.scrollIntoView({ block: "nearest" });
    }
  }
}
