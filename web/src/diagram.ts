// Draws the two runs of a finding beside each other: a lane for each thread, time from top to
// bottom. Lines and bands are SVG; the events are buttons, so that keyboards and screen readers
// reach them.
import { select } from "d3-selection";
import { linkHorizontal, linkVertical } from "d3-shape";
import { h } from "./dom";
import { baseName, type EventInfo, type Finding, type Index, shortened, shortName, threadName } from "./report";
import { withoutScope } from "./names";
import { bands, folded, type Row, type Run, type RunName, type Runs, runsOf, type Shown } from "./runs";

const rowHeight = 42, foldHeight = 30, headHeight = 58, gutter = 92, narrowLane = 20, leastLane = 165;
const unfoldStep = 200; // rows at a time, so that a run of 100,000 events stays quick

interface Column {
  run: Run;
  shown: Shown[];
  left: number;
  width: number;
  wide: boolean; // the labels stand in the lanes
  yOf: Map<number, number>; // by event, its row's or its fold's middle
  visible: Set<number>; // events with a row of their own
  height: number;
}
interface Point {
  x: number;
  y: number;
}

export interface Selection {
  event: number;
  run: RunName;
}

export class Diagram {
  readonly element = h("div", { class: "runs", role: "group", "aria-label": "The recorded and the predicted run" });
  readonly runs: Runs;
  private readonly shortNames: Map<string, string>; // `balance_` for `Account::balance_`
  private readonly open: Record<RunName, Map<number, number>> = { recorded: new Map(), predicted: new Map() };
  private selection: Selection | undefined;
  private columns: Column[] = [];
  private lanes: number[] = []; // the threads that have a row in one of the runs now
  private lastWidth = 0;
  private readonly watcher = new ResizeObserver(() => {
    if (this.element.clientWidth !== this.lastWidth) this.draw();
  });

  constructor(
    private readonly finding: Finding, private readonly index: Index,
    private readonly onSelect: (selection: Selection) => void,
  ) {
    this.runs = runsOf(finding, index);
    this.shortNames = this.findShortNames();
    this.watcher.observe(this.element);
    this.element.addEventListener("keydown", (event) => this.onKey(event));
  }

  dispose(): void {
    this.watcher.disconnect();
  }

  // Shows the event, unfolding what hides it.
  choose(selection: Selection, focus = true): void {
    const run = selection.run === "predicted" ? this.runs.predicted : this.runs.recorded;
    const row = run?.rowOf.get(selection.event);
    if (!run || row === undefined) return;
    this.selection = selection;
    this.unfoldAround(run, row);
    this.draw();
    const button = this.button(selection);
    if (!focus) return;
    button?.focus({ preventScroll: true });
    button?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // Names without their scopes, where no two would be the same.
  private findShortNames(): Map<string, string> {
    const full = new Map<string, Set<string>>();
    for (const run of [this.runs.recorded, this.runs.predicted])
      for (const row of run?.rows ?? []) if (row.relevant) {
        const name = shortName(row.event.variable), short = withoutScope(name);
        full.set(short, (full.get(short) ?? new Set()).add(name));
      }
    return new Map([...full].flatMap(([short, names]) => { const [name] = names; return names.size === 1 && name ? [[name, short] as const] : []; }));
  }

  has(selection: Selection): boolean {
    const run = selection.run === "predicted" ? this.runs.predicted : this.runs.recorded;
    return run?.rowOf.has(selection.event) ?? false;
  }

  // Unfolds everything, or folds it again.
  toggleFolds(): void {
    const isOpen = this.open.recorded.size + this.open.predicted.size > 0;
    for (const run of [this.runs.recorded, this.runs.predicted]) {
      if (!run) continue;
      const open = this.open[run.name];
      open.clear();
      if (isOpen) continue;
      for (const shown of folded(run, open)) if ("fold" in shown) open.set(shown.fold, unfoldStep);
    }
    this.draw();
  }

  private unfoldAround(run: Run, row: number): void {
    for (const shown of folded(run, this.open[run.name])) {
      if (!("fold" in shown)) continue;
      const at = shown.rows.indexOf(row);
      if (at >= 0) this.open[run.name].set(shown.fold, (this.open[run.name].get(shown.fold) ?? 0) + at + unfoldStep);
    }
  }

  private button(selection: Selection): HTMLElement | null {
    return this.element.querySelector(`[data-run="${selection.run}"][data-event="${selection.event}"]`);
  }

  private onKey(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    const run = target.dataset["run"] as RunName | undefined;
    if (!run || event.ctrlKey || event.metaKey || event.altKey) return;
    const buttons = [...this.element.querySelectorAll<HTMLElement>(`button[data-run="${run}"]`)];
    const at = buttons.indexOf(target);
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      buttons[at + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
    } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const other = event.key === "ArrowRight" ? "predicted" : "recorded";
      const twin = this.element.querySelector<HTMLElement>(`[data-run="${other}"][data-event="${target.dataset["event"] ?? ""}"]`);
      (twin ?? this.element.querySelector<HTMLElement>(`button[data-run="${other}"]`))?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  draw(): void {
    const width = Math.max(this.element.clientWidth, 300);
    this.lastWidth = this.element.clientWidth;
    const { recorded, predicted } = this.runs;
    this.lanes = this.shownThreads();
    const columnWidth = predicted ? Math.max((width - gutter) / 2, 240) : Math.min(width, 980);
    const wide = columnWidth / this.lanes.length >= leastLane;
    this.columns = [this.column(recorded, 0, columnWidth, wide)];
    if (predicted) this.columns.push(this.column(predicted, columnWidth + gutter, columnWidth, wide));
    const height = Math.max(...this.columns.map((column) => column.height)) + 12;
    const focused = document.activeElement instanceof HTMLElement && this.element.contains(document.activeElement)
      ? { event: Number(document.activeElement.dataset["event"] ?? -1), run: document.activeElement.dataset["run"] as RunName } : undefined;
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const totalWidth = predicted ? 2 * columnWidth + gutter : columnWidth;
    select(svg).attr("width", totalWidth).attr("height", height).attr("aria-hidden", "true");
    this.element.replaceChildren(svg);
    this.element.style.height = `${height}px`;
    for (const column of this.columns) this.drawColumn(svg, column);
    if (predicted) this.drawJoiners(svg);
    for (const column of this.columns) this.placeRows(column);
    if (focused && focused.event >= 0) this.button(focused)?.focus({ preventScroll: true });
  }

  private shownThreads(): number[] {
    const out = new Set<number>();
    for (const run of [this.runs.recorded, this.runs.predicted])
      if (run) for (const item of folded(run, this.open[run.name])) if ("row" in item) out.add((run.rows[item.row] as Row).event.thread);
    return out.size > 0 ? this.runs.threads.filter((thread) => out.has(thread)) : this.runs.threads;
  }

  private column(run: Run, left: number, width: number, wide: boolean): Column {
    const shown = folded(run, this.open[run.name]);
    const yOf = new Map<number, number>();
    const visible = new Set<number>();
    let y = headHeight + (run.name === "predicted" && this.beforeText() ? foldHeight : 0);
    for (const item of shown) {
      const size = "fold" in item ? foldHeight : rowHeight;
      const middle = y + size / 2;
      if ("fold" in item) for (const row of item.rows) yOf.set((run.rows[row] as Row).event.event, middle);
      else {
        const { event } = run.rows[item.row] as Row;
        yOf.set(event.event, middle);
        visible.add(event.event);
      }
      y += size;
    }
    const hasEnd = this.endsIn(run);
    return { run, shown, left, width, wide, yOf, visible, height: y + (hasEnd ? 34 : 0) };
  }

  private beforeText(): string {
    return this.runs.before > 0 && !this.finding.run?.rule
      ? `first ${this.runs.before} event${this.runs.before === 1 ? "" : "s"} as recorded` : "";
  }

  private laneX(column: Column, thread: number): number {
    const lane = this.lanes.indexOf(thread);
    return column.left + (column.wide ? (column.width / this.lanes.length) * lane + 12 : lane * narrowLane + 10);
  }
  private labelBox(column: Column, thread: number): { left: number; width: number } {
    if (column.wide) {
      const lane = column.width / this.lanes.length;
      return { left: this.laneX(column, thread) + 10, width: lane - 26 };
    }
    const left = this.lanes.length * narrowLane + 8;
    return { left: column.left + left, width: column.width - left - 4 };
  }

  private drawColumn(svg: SVGSVGElement, column: Column): void {
    const root = select(svg).append("g");
    const events = column.run.rows.map((row) => row.event);
    const laneEnds = this.lanes.map((thread) => {
      const own = events.filter((event) => event.thread === thread).map((event) => column.yOf.get(event.event) ?? 0);
      const from = column.run.name === "predicted" && this.beforeText() ? headHeight + foldHeight - 2 : headHeight - 6;
      return { thread, from, to: Math.max(from, ...own.slice(-400)), used: own.length > 0 };
    });
    // Lock regions behind everything.
    const shownBands = bands(column.run, this.index).filter((band) => this.lanes.includes(band.thread)).map((band) => {
      const first = column.yOf.get((column.run.rows[band.first] as Row).event.event) ?? 0;
      const last = band.open ? column.height - 8 : (column.yOf.get((column.run.rows[band.last] as Row).event.event) ?? 0);
      const isSeen = band.open || last > first || column.visible.has((column.run.rows[band.first] as Row).event.event);
      return { band, first, last, isSeen };
    }).filter((shown) => shown.isSeen).slice(0, 400);
    const box = (thread: number, depth: number): { x: number; width: number } => {
      const inset = Math.min(depth, 4) * 5;
      if (!column.wide) return { x: this.laneX(column, thread) - 8 + inset / 2, width: 16 - inset };
      return { x: this.laneX(column, thread) - 9 + inset, width: column.width / this.lanes.length - 8 - 2 * inset };
    };
    const regions = root.selectAll("g.band").data(shownBands).join("g").attr("class", "band");
    regions.append("rect")
      .attr("x", (d) => box(d.band.thread, d.band.depth).x).attr("width", (d) => Math.max(box(d.band.thread, d.band.depth).width, 4))
      .attr("y", (d) => d.first - 18).attr("height", (d) => d.last - d.first + 36).attr("rx", 6);
    regions.append("title").text((d) => `holds ${d.band.name}${d.band.shared ? " (shared)" : ""}`);
    // Lanes.
    root.selectAll("line.lane").data(laneEnds.filter((lane) => lane.used)).join("line").attr("class", "lane")
      .attr("x1", (d) => this.laneX(column, d.thread)).attr("x2", (d) => this.laneX(column, d.thread))
      .attr("y1", (d) => d.from).attr("y2", (d) => d.to);
    this.drawEdges(svg, column);
    // Dots.
    const rows = column.shown.flatMap((item) => ("row" in item ? [column.run.rows[item.row] as Row] : []));
    root.selectAll("circle.dot").data(rows).join("circle")
      .attr("class", (d) => `dot${d.place || d.next ? " is-place" : ""}${d.reversed ? " is-reversed" : ""}${d.absent ? " is-absent" : ""}${d.next ? " is-next" : ""}`)
      .attr("cx", (d) => this.laneX(column, d.event.thread)).attr("cy", (d) => column.yOf.get(d.event.event) ?? 0)
      .attr("r", (d) => (d.place || d.next ? 5.5 : 4));
    this.drawHeads(column);
  }

  private drawEdges(svg: SVGSVGElement, column: Column): void {
    const link = linkVertical<{ source: Point; target: Point }, Point>().x((p) => p.x).y((p) => p.y);
    const of = this.selection?.run === column.run.name ? this.selection.event : undefined;
    const read = of === undefined ? undefined : this.writeSeen({ event: of, run: column.run.name });
    const edges = column.run.edges.filter((edge) => column.visible.has(edge.from) || column.visible.has(edge.to));
    const all = edges.map((edge) => ({ ...edge, chosen: edge.from === of || edge.to === of }));
    if (of !== undefined && read !== undefined && !edges.some((edge) => edge.from === read && edge.to === of) && column.yOf.has(read))
      all.push({ from: read, to: of, why: "reads what it wrote", reversed: false, chosen: true });
    const drawn = all.slice(0, 400).flatMap((edge) => {
      const from = column.run.rows[column.run.rowOf.get(edge.from) ?? -1], to = column.run.rows[column.run.rowOf.get(edge.to) ?? -1];
      const y1 = column.yOf.get(edge.from), y2 = column.yOf.get(edge.to);
      if (!from || !to || y1 === undefined || y2 === undefined || y1 === y2) return [];
      if (!this.lanes.includes(from.event.thread) || !this.lanes.includes(to.event.thread)) return [];
      const source = { x: this.laneX(column, from.event.thread), y: y1 + 5 };
      const target = { x: this.laneX(column, to.event.thread), y: y2 - 7 };
      return [{ edge, path: link({ source, target }) ?? "", target }];
    });
    const groups = select(svg).append("g").selectAll("g").data(drawn).join("g")
      .attr("class", (d) => `edge${d.edge.reversed ? " is-reversed" : ""}${d.edge.chosen ? " is-chosen" : ""}`);
    groups.append("path").attr("d", (d) => d.path);
    groups.append("path").attr("class", "head").attr("d", (d) => `M${d.target.x - 4},${d.target.y - 4}L${d.target.x},${d.target.y + 2}L${d.target.x + 4},${d.target.y - 4}`);
    groups.append("title").text((d) => d.edge.why);
  }

  private drawHeads(column: Column): void {
    const title = column.run.name === "recorded" ? "Recorded run" : "Predicted run";
    const head = h("div", { class: `run-head ${column.run.name}` }, title);
    head.style.left = `${column.left}px`;
    head.style.width = `${column.width}px`;
    this.element.append(head);
    if (column.wide)
      for (const thread of this.lanes) {
        const name = h("div", { class: "lane-head", title: threadName(this.finding, thread) }, threadName(this.finding, thread));
        name.style.left = `${this.laneX(column, thread) - 8}px`;
        name.style.width = `${column.width / this.lanes.length - 12}px`;
        this.element.append(name);
      }
  }

  // Lines from the recorded row to the predicted one: what moved, and what is chosen.
  private drawJoiners(svg: SVGSVGElement): void {
    const [recorded, predicted] = this.columns;
    if (!recorded || !predicted) return;
    const link = linkHorizontal<{ source: Point; target: Point }, Point>().x((p) => p.x).y((p) => p.y);
    const accent = new Set(predicted.run.rows.filter((row) => row.next || (row.place && !row.prefix)).map((row) => row.event.event));
    const wanted = new Set([...this.runs.moved.slice(0, 60), ...accent]);
    if (this.selection) wanted.add(this.selection.event);
    const drawn = [...wanted].flatMap((event) => {
      const y1 = recorded.yOf.get(event), y2 = predicted.yOf.get(event);
      if (y1 === undefined || y2 === undefined || !recorded.visible.has(event) || !predicted.visible.has(event)) return [];
      const row = predicted.run.rows[predicted.run.rowOf.get(event) ?? -1] as Row;
      const from = this.labelBox(recorded, row.event.thread);
      const left = { x: recorded.left + recorded.width + 2, y: y1 }, right = { x: predicted.left - 6, y: y2 };
      const leader = `M${from.left + from.width + 2},${y1}H${left.x}`;
      const entry = recorded.wide ? `M${right.x},${y2}H${this.laneX(predicted, row.event.thread) - 7}` : `M${right.x},${y2}H${predicted.left}`;
      return [{ event, path: link({ source: left, target: right }) ?? "", leader: leader + entry, accent: accent.has(event) || row.reversed }];
    });
    const groups = select(svg).append("g").selectAll("g").data(drawn).join("g")
      .attr("class", (d) => `joiner${d.accent ? " is-accent" : ""}${d.event === this.selection?.event ? " is-chosen" : ""}`);
    groups.append("path").attr("d", (d) => d.path);
    groups.append("path").attr("class", "leader").attr("d", (d) => d.leader);
  }

  private placeRows(column: Column): void {
    const { run } = column;
    if (run.name === "predicted" && this.beforeText()) {
      const text = h("div", { class: "fold-line is-text" }, this.beforeText());
      put(text, column.left, headHeight, column.width - 10);
      this.element.append(text);
    }
    let y = headHeight + (run.name === "predicted" && this.beforeText() ? foldHeight : 0);
    for (const item of column.shown) {
      if ("fold" in item) {
        this.element.append(this.foldButton(column, item, y));
        y += foldHeight;
      } else {
        this.element.append(this.rowButton(column, run.rows[item.row] as Row, y));
        y += rowHeight;
      }
    }
    if (this.endsIn(run)) {
      const end = h("div", { class: "meet" }, this.endText());
      put(end, column.left, y + 2, column.width - 10);
      this.element.append(end);
    }
  }

  // The run that ends where the error is.
  private endsIn(run: Run): boolean {
    if (run.name === "predicted") return run.rows.some((row) => row.next);
    return !this.runs.predicted && (this.finding.kind === "deadlock" || this.finding.kind === "lost-wakeup");
  }

  private endText(): string {
    switch (this.finding.kind) {
      case "race": return "Both can happen now, in either order.";
      case "deadlock": return "None of these threads can go on.";
      case "lost-wakeup": return "Nobody will signal any more.";
      default: return "This is what comes next.";
    }
  }

  private foldButton(column: Column, item: Extract<Shown, { fold: number }>, y: number): HTMLElement {
    const threads = [...new Set(item.rows.map((row) => (column.run.rows[row] as Row).event.thread))];
    const box = column.wide && threads.length === 1 ? this.labelBox(column, threads[0] as number) : undefined;
    const who = box ? "" : threads.length === 1 ? ` of ${threadName(this.finding, threads[0] as number)}` : threads.length > 1 ? ` of ${threads.length} threads` : "";
    const open = this.open[column.run.name];
    const isOpen = open.has(item.fold);
    const count = item.rows.length;
    const text = count > 0 ? `${count} more event${count === 1 ? "" : "s"}${who}` : "fold again";
    const button = h("button", {
      class: "fold-line", type: "button", "data-run": column.run.name, "data-fold": item.fold, "aria-expanded": isOpen,
      click: () => {
        if (count > 0) open.set(item.fold, (open.get(item.fold) ?? 0) + unfoldStep);
        else open.delete(item.fold);
        this.draw();
      },
    }, text);
    if (box) put(button, box.left, y, box.width);
    else put(button, column.left, y, column.width - 10);
    return button;
  }

  private rowButton(column: Column, row: Row, y: number): HTMLElement {
    const { event } = row;
    const code = this.index.line(event.file, event.line)?.trim();
    const isChosen = this.selection?.event === event.event;
    const classes = ["row", row.place || row.next ? "is-place" : "", row.reversed ? "is-reversed" : "", row.absent ? "is-absent" : "",
      row.next ? "is-next" : "", isChosen ? (this.selection?.run === column.run.name ? "is-chosen" : "is-twin") : ""];
    const whole = row.next ? `next: ${nextText(event)}` : shortName(event.what);
    const name = shortName(event.variable), short = this.shortNames.get(name);
    const what = short ? whole.replace(name, () => short) : whole;
    const button = h("button", {
      class: classes.filter(Boolean).join(" "), type: "button", "data-run": column.run.name, "data-event": event.event,
      title: shortened(`${threadName(this.finding, event.thread)} ${whole}${event.file ? `\n${event.file}:${event.line}` : ""}${row.absent ? "\nThe predicted run ends before this." : ""}`, 600),
      "aria-label": shortened(`${threadName(this.finding, event.thread)} ${what} ${event.file ? `at ${baseName(event.file)} line ${event.line}` : ""}`, 300),
      "aria-pressed": isChosen,
      click: () => this.onSelect({ event: event.event, run: column.run.name }),
    },
      h("span", { class: "what" }, !column.wide && h("span", { class: "who" }, `${threadName(this.finding, event.thread)} `), shortened(what, 160)),
      h("span", { class: "where" }, event.file && event.line ? h("span", { class: "place" }, `${shortened(baseName(event.file), 60)}:${event.line}`) : shortened(event.function, 80),
        code ? h("code", {}, shortened(code, 160)) : undefined));
    const box = this.labelBox(column, event.thread);
    put(button, box.left, y + 2, box.width);
    return button;
  }

  // The write that a read sees in one of the runs.
  writeSeen(selection: Selection): number | undefined {
    const event = this.index.eventNumbered(selection.event);
    if (selection.run === "recorded") return event?.from;
    const own = this.finding.readsFrom?.find((pair) => pair.event === selection.event);
    const row = this.runs.predicted?.rows[this.runs.predicted.rowOf.get(selection.event) ?? -1];
    return own?.from ?? (row?.prefix ? event?.from : undefined);
  }
}

function put(element: HTMLElement, left: number, top: number, width: number): void {
  element.style.left = `${left}px`;
  element.style.top = `${top}px`;
  element.style.width = `${Math.max(width, 40)}px`;
}

// It has not happened: a value would be a guess.
const verbs: Record<string, string> = {
  "read": "reads", "write": "writes", "atomic-read": "atomically reads", "atomic-write": "atomically writes",
  "atomic-rmw": "atomically changes", "acquire": "asks for", "acquire-shared": "asks, shared, for",
  "wake": "still waits on",
};
function nextText(event: EventInfo): string {
  const verb = verbs[event.kind];
  return shortName(verb ? `${verb} ${event.variable}` : event.what);
}
