// Everything about one event: its source, value, stack, locks, and the write that a read sees.
import { type Diagram, type Selection } from "./diagram";
import { h, replace } from "./dom";
import { baseName, type EventInfo, type Finding, type Index, shortened, type Spot, threadName } from "./report";
import { sourceBlock } from "./source";

export class Detail {
  readonly element = h("section", { class: "detail", "aria-label": "The chosen event", "aria-live": "polite" });

  constructor(private readonly index: Index, private readonly go: (selection: Selection) => void) {
    this.showNothing();
  }

  showNothing(): void {
    replace(this.element, h("p", { class: "muted hint" }, "Choose an event to see its source, value, stack and locks."));
  }

  show(finding: Finding, diagram: Diagram, selection: Selection): void {
    const event = this.index.eventNumbered(selection.event);
    if (!event) return this.showNothing();
    const context = this.index.context(event);
    const stack = context.stack.length > 0 ? context.stack : [{ file: event.file, line: event.line, column: event.column, function: event.function }];
    const source = h("div", { class: "source-box" });
    const showSpot = (spot: Spot): void => replace(source, h("div", { class: "file", title: shortened(spot.file, 1000) }, shortened(this.index.shortPath(spot.file), 200), spot.line ? `:${spot.line}` : ""), sourceBlock(this.index, spot));
    showSpot({ file: event.file, line: event.line, column: event.column, function: event.function });
    replace(this.element,
      h("header", {},
        h("h3", {}, shortened(event.what, 300)),
        h("p", { class: "muted" }, `${threadName(finding, event.thread)} · event ${event.event}${event.function ? ` · in ${shortened(event.function, 120)}` : ""}`)),
      h("div", { class: "detail-body" },
        source,
        h("div", { class: "facts" },
          h("dl", {}, ...this.facts(event, context.locks.map((lock) => lock.name + (lock.shared ? " (shared)" : ""))), ...this.origins(finding, event)),
          this.seenWrites(finding, diagram, event),
          this.stackList(stack, showSpot))));
  }

  private facts(event: EventInfo, locks: string[]): HTMLElement[] {
    const out: HTMLElement[] = [];
    const add = (name: string, value: string): void => { out.push(h("dt", {}, name), h("dd", {}, shortened(value, 400))); };
    if (event.size !== undefined) add("value", event.text ? `${event.text}${event.value && event.text !== event.value ? `  (${event.value})` : ""}` : event.value);
    if (event.address) add("address", event.size ? `${event.address}, ${event.size} byte${event.size === 1 ? "" : "s"}` : event.address);
    add("holds", locks.length > 0 ? locks.join(", ") : "no lock");
    return out;
  }

  // Where the memory and the thread came from.
  private origins(finding: Finding, event: EventInfo): HTMLElement[] {
    const out: HTMLElement[] = [];
    const at = (spot: Spot | undefined): string => (spot?.line ? ` at ${baseName(spot.file)}:${spot.line}` : "");
    const object = finding.sites.find((site) => site.event === event.event)?.object;
    if (object && object.sort !== "stack") {
      const what = `${object.bytes} bytes${object.type ? ` (${object.type})` : ""}`;
      out.push(h("dt", {}, object.sort), h("dd", {}, shortened(object.sort === "heap"
        ? `${what}, allocated${object.thread === undefined ? "" : ` by ${threadName(finding, object.thread)}`}${at(object.at)}` : `${what}, declared${at(object.at)}`, 400)));
    }
    const thread = finding.threads.find((one) => one.thread === event.thread);
    const creation = thread?.stack?.find((spot) => !spot.system);
    if (thread?.parent !== undefined) out.push(h("dt", {}, "thread"), h("dd", {}, `created by ${threadName(finding, thread.parent)}${at(creation)}`));
    return out;
  }

  private seenWrites(finding: Finding, diagram: Diagram, event: EventInfo): HTMLElement | undefined {
    if (!event.kind.includes("read") && !event.kind.includes("rmw")) return undefined;
    const list = h("dl", { class: "seen" });
    for (const run of ["recorded", "predicted"] as const) {
      if (!diagram.has({ event: event.event, run })) continue;
      const write = diagram.writeSeen({ event: event.event, run });
      const known = write === undefined ? undefined : this.index.eventNumbered(write);
      list.append(h("dt", {}, `reads from (${run})`), h("dd", {}, known
        ? h("button", {
          type: "button", class: "link", "data-write": known.event, "data-in": run,
          click: () => this.go({ event: known.event, run: diagram.has({ event: known.event, run }) ? run : "recorded" }),
        }, `${threadName(finding, known.thread)} ${shortened(known.what, 80)}${known.line ? ` at ${baseName(known.file)}:${known.line}` : ""}`)
        : "what was there before the first recorded write"));
    }
    return list;
  }

  private stackList(stack: Spot[], show: (spot: Spot) => void): HTMLElement {
    const own = stack.filter((spot) => !spot.system);
    const listed = own.length > 0 ? own : stack;
    const hidden = stack.length - listed.length;
    const list = h("ol", { class: "stack", "aria-label": "Stack, innermost first" });
    for (const spot of listed.slice(0, 60))
      list.append(h("li", {}, h("button", { type: "button", class: "link", click: () => show(spot) },
        h("span", { class: "function" }, shortened(spot.function || "?", 160)),
        h("span", { class: "muted" }, spot.file ? ` ${baseName(spot.file)}:${spot.line}` : ""))));
    if (hidden > 0) list.append(h("li", { class: "muted" }, `${hidden} more in system headers`));
    return h("div", { class: "stack-box" }, h("h4", {}, "Stack"), list);
  }
}
