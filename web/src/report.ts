// The report's JSON (docs/report.md), as far as the page uses it.

export interface Spot {
  file: string;
  line: number;
  column: number;
  function: string;
  inlined?: boolean;
  system?: boolean;
}
export interface Lock {
  name: string;
  address: string;
  shared: boolean;
  taken?: Spot;
}
export interface EventInfo {
  event: number;
  thread: number;
  kind: string;
  what: string;
  variable: string;
  value: string;
  text: string;
  file: string;
  line: number;
  column: number;
  function: string;
  address?: string;
  size?: number;
  synchronises?: boolean;
  pending?: boolean;
  from?: number;
  context?: number;
}
export interface Context {
  stack: Spot[];
  locks: Lock[];
}
export interface ObjectInfo {
  sort: string;
  name: string;
  type?: string;
  address: string;
  bytes: number;
  at?: Spot;
  thread?: number;
  stack?: Spot[];
}
export interface Site extends Spot {
  variable: string;
  thread: number;
  event: number;
  kind: string;
  role: string;
  order?: string;
  size?: number;
  stack: Spot[];
  locks: Lock[];
  object?: ObjectInfo;
}
export interface Thread {
  thread: number;
  name: string;
  start?: string;
  parent?: number;
  stack?: Spot[];
}
export interface Step {
  thread: number;
  event: number;
  kind: string;
  file: string;
  line: number;
  value: string;
  variable?: string;
}
export interface RunStep {
  thread: number;
  event: number;
  what: string;
  file: string;
  line: number;
  observed: number;
  state: string;
}
export interface PropertyRun {
  rule?: string;
  place?: string;
  initial?: string;
  skipped?: number;
  repeated?: number;
  cut?: number[];
  steps?: RunStep[];
  unordered?: RunStep[];
}
export interface PairSite {
  file: string;
  line: number;
  function: string;
  variable: string;
  kind: string;
  role: string;
  thread: number;
  event: number;
}
export interface Pair {
  fingerprint: string;
  status: string;
  engine: string;
  count: number;
  sites: PairSite[];
}
export interface Finding {
  id: number;
  fingerprint: string;
  title?: string;
  kind: string;
  status: string;
  property: string | null;
  model: string;
  engine: string;
  count: number;
  note?: string;
  reason?: string;
  advice?: string;
  toSeeIt?: string;
  story?: { recorded: number[]; predicted: number[] }; // what the text shows of the two runs
  run?: PropertyRun;
  suppressedPairs?: number;
  sites: Site[];
  threads: Thread[];
  observed: Step[];
  witnessObserved: number;
  witness: Step[];
  witnessLeftOut: number;
  trace?: number; // row of Report.traces
  alsoIn?: number[];
  next: Step[];
  readsFrom?: { event: number; from: number }[];
  pairs?: Pair[];
}
export interface Limit {
  name: string;
  count: number;
  sentence: string;
  complete: boolean;
  detail: string;
}
export interface Coverage {
  complete: boolean;
  unanswered: string[];
  undecided: number;
  suppressed: number;
  rejected: number;
  pieces?: number;
  limits: Limit[];
}
export interface Source {
  file: string;
  first: number;
  lines: string[];
}
export interface Report {
  sooth: string;
  program: { name: string; arguments: string[]; directory: string };
  trace: { file: string; events: number; analysed: number; threads: number };
  traces?: { file: string; events: number; analysed: number; threads: number; firstEvent: number }[];
  partial: boolean;
  model: string;
  find: string[];
  findings: Finding[];
  coverage: Coverage;
  events?: EventInfo[];
  contexts?: Context[];
  sources?: Source[];
}
// What `sooth report DIR --serve` puts on its first page.
export interface Shelf {
  folder: string;
  reports: { path: string; name: string; program: string; findings: number; complete: boolean; problem?: string }[];
}

export function embedded(): Report | Shelf {
  const text = document.getElementById("report")?.textContent ?? "";
  return JSON.parse(text) as Report | Shelf;
}
export const isShelf = (data: Report | Shelf): data is Shelf => "reports" in data;

const noContext: Context = { stack: [], locks: [] };

// Looks events, contexts and lines of source up.
export class Index {
  private readonly events = new Map<number, EventInfo>();
  private readonly sources = new Map<string, Source[]>();

  constructor(readonly report: Report) {
    for (const event of report.events ?? []) this.events.set(event.event, event);
    for (const source of report.sources ?? []) {
      const known = this.sources.get(source.file);
      if (known) known.push(source);
      else this.sources.set(source.file, [source]);
    }
  }
  // A report of another version may have no table of events: then the step itself must do.
  event(step: { event: number; thread: number; kind: string; file: string; line: number; variable?: string }): EventInfo {
    const known = this.events.get(step.event);
    if (known) return known;
    const variable = step.variable ?? "";
    const made: EventInfo = {
      event: step.event, thread: step.thread, kind: step.kind, what: `${step.kind} ${variable}`.trim(), variable,
      value: "", text: "", file: step.file, line: step.line, column: 0, function: "",
    };
    this.events.set(step.event, made);
    return made;
  }
  eventNumbered(event: number): EventInfo | undefined {
    return this.events.get(event);
  }
  context(event: EventInfo): Context {
    return (event.context !== undefined ? this.report.contexts?.[event.context] : undefined) ?? noContext;
  }
  excerpt(file: string, line: number): Source | undefined {
    return this.sources.get(file)?.find((part) => line >= part.first && line < part.first + part.lines.length);
  }
  // Without the folder that the program ran in.
  shortPath(file: string): string {
    const folder = this.report.program.directory.replace(/\/?$/, "/");
    return folder !== "/" && file.startsWith(folder) ? file.slice(folder.length) : file;
  }
  line(file: string, line: number): string | undefined {
    const part = this.excerpt(file, line);
    return part?.lines[line - part.first];
  }
}

export const baseName = (file: string): string => file.slice(file.lastIndexOf("/") + 1);
export const placeText = (spot: { file: string; line: number; function?: string }): string =>
  spot.file && spot.line ? `${baseName(spot.file)}:${spot.line}` : (spot.function ?? "");

// "Pool::work" of `Pool::work(int)`; nothing of a lambda or a template, whose names say little.
const plainFunction = (start: string): string => {
  const name = start.split("(")[0] ?? "";
  return name.length > 32 || /[$'{<]/.test(start) ? "" : name;
};

// "mutex_ (pool.cpp:31)" for `Pool::mutex_ of the object made at pool.cpp:31`.
// Text of any length comes from the program; looking through a long word takes the square of its length.
export const shortName = (text: string): string => text.length > 1000 ? text : text.replace(/(?:\w+::)*(\w+) of the object made at ([^`,;]+)/g, "$1 ($2)");

export function threadName(finding: Finding, thread: number): string {
  const known = finding.threads.find((one) => one.thread === thread);
  const name = known?.name || (thread === 0 ? "main" : plainFunction(known?.start ?? ""));
  return name ? `${shortened(name, 40)} (${thread})` : `thread ${thread}`;
}

// Names of a program may be of any length; what is cut is said.
export function shortened(text: string, most = 200): string {
  return text.length <= most ? text : `${text.slice(0, most)} ... (${text.length} characters)`;
}
