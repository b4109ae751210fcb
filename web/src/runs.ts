// A finding's two runs as rows: what is in both, what moved, what must come before what, and what
// can be folded away. No drawing here.
import { type EventInfo, type Finding, Index } from "./report";

export type RunName = "recorded" | "predicted";
export interface Row {
  event: EventInfo;
  place: boolean; // one of the finding's own events
  next: boolean; // the thread stands directly before it
  prefix: boolean; // of the predicted run: still as recorded
  absent: boolean; // of the recorded run: the predicted one ends before it
  relevant: boolean;
  reversed: boolean; // an end of an order that the predicted run reverses
  moved: boolean;
}
export interface Edge {
  from: number; // events
  to: number;
  why: string;
  reversed: boolean; // the other run has it the other way round
}
export interface Run {
  name: RunName;
  rows: Row[];
  edges: Edge[];
  rowOf: Map<number, number>; // by event
}
export interface Runs {
  recorded: Run;
  predicted: Run | undefined;
  threads: number[];
  moved: number[]; // events in both runs, off the longest common order
  before: number; // events of the predicted run before its first row, as recorded
  leftOut: number;
}

const gives = new Set(["release", "release-shared", "signal", "broadcast", "sem-post", "barrier-arrive", "once-end",
  "hb-release", "wait"]);
const takes = new Set(["acquire", "acquire-shared", "wake", "sem-wait", "barrier-leave", "once-wait", "hb-acquire",
  "try-acquire"]);

// The thread that a fork or a join names.
const otherThread = (event: EventInfo): number => Number.parseInt(event.value, 16);

// The orders that this run makes between its threads: only those that do not follow from others.
export function neededEdges(order: EventInfo[], readsFrom: (event: EventInfo) => number | undefined): Omit<Edge, "reversed">[] {
  const place = new Map<number, number>();
  order.forEach((event, i) => place.set(event.event, i));
  const incoming: { from: number; why: string }[][] = order.map(() => []);
  const given = new Map<string, number[]>(); // by object: who gave it up last, a row for each thread
  const firstOf = new Map<number, number>(), lastOf = new Map<number, number>();
  order.forEach((event, i) => {
    if (!firstOf.has(event.thread)) firstOf.set(event.thread, i);
    if (event.kind === "join") {
      const last = lastOf.get(otherThread(event));
      if (last !== undefined) incoming[i]?.push({ from: last, why: "ends before it is joined" });
    }
    lastOf.set(event.thread, i);
    const key = event.address ?? event.variable;
    if (key && takes.has(event.kind) && !event.pending)
      for (const from of (given.get(key) ?? []).slice(-1)) if (order[from]?.thread !== event.thread)
        incoming[i]?.push({ from, why: `through ${event.variable || "the same object"}` });
    if (key && gives.has(event.kind)) given.set(key, [...(given.get(key) ?? []), i].slice(-4));
    const write = readsFrom(event);
    const from = write === undefined ? undefined : place.get(write);
    if (from !== undefined && from < i && order[from]?.thread !== event.thread)
      incoming[i]?.push({ from, why: `reads what it wrote` });
  });
  order.forEach((event, i) => {
    if (event.kind !== "fork") return;
    const first = firstOf.get(otherThread(event));
    if (first !== undefined && first > i) incoming[first]?.push({ from: i, why: "is created before it starts" });
  });
  // Clocks: by thread, the last row that is known to come before.
  const clocks: Map<number, number>[] = [];
  const newest = new Map<number, number>();
  const out: Omit<Edge, "reversed">[] = [];
  order.forEach((event, i) => {
    const before = newest.get(event.thread);
    const clock = new Map(before === undefined ? [] : clocks[before]);
    for (const edge of (incoming[i] ?? []).sort((a, b) => b.from - a.from)) {
      const source = order[edge.from];
      if (!source || (clock.get(source.thread) ?? -1) >= edge.from) continue;
      out.push({ from: source.event, to: event.event, why: edge.why });
      for (const [thread, row] of clocks[edge.from] ?? []) clock.set(thread, Math.max(row, clock.get(thread) ?? -1));
    }
    clock.set(event.thread, i);
    clocks.push(clock);
    newest.set(event.thread, i);
  });
  return out;
}

// The rows of the longest increasing sequence: they stay where they are, the others have moved.
export function longestIncreasing(numbers: number[]): Set<number> {
  const tails: number[] = [];
  const before: number[] = [];
  numbers.forEach((number, i) => {
    let low = 0, high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[tails[middle] as number] as number) < number) low = middle + 1;
      else high = middle;
    }
    before[i] = low > 0 ? (tails[low - 1] as number) : -1;
    tails[low] = i;
  });
  const out = new Set<number>();
  for (let i = tails.length > 0 ? (tails[tails.length - 1] as number) : -1; i >= 0; i = before[i] as number) out.add(i);
  return out;
}

// What is shown at once: the essential, and of the rest that matters the nearest to it.
const mostRelevant = 160;
function relevantOf(events: EventInfo[], isEssential: (event: EventInfo) => boolean, mayMatter: (event: EventInfo) => boolean): Set<number> {
  const essential = events.flatMap((event, i) => (isEssential(event) ? [i] : []));
  const out = new Set(essential.slice(0, mostRelevant).map((i) => (events[i] as EventInfo).event));
  let near = 0;
  const distance = (i: number): number => {
    while (near + 1 < essential.length && Math.abs((essential[near + 1] as number) - i) <= Math.abs((essential[near] as number) - i)) near++;
    return essential.length > 0 ? Math.abs((essential[near] as number) - i) : i;
  };
  const rest = events.flatMap((event, i) => (mayMatter(event) && !out.has(event.event) ? [{ event: event.event, far: distance(i) }] : []));
  if (rest.length > mostRelevant) rest.sort((a, b) => a.far - b.far);
  for (const one of rest.slice(0, mostRelevant)) out.add(one.event);
  return out;
}

const unique = (events: EventInfo[]): EventInfo[] => [...new Map(events.map((event) => [event.event, event])).values()];

export function runsOf(finding: Finding, index: Index): Runs {
  const firstEvent = index.report.traces?.[finding.trace ?? 0]?.firstEvent ?? 0; // of the finding's own trace
  const places = new Set(finding.sites.map((site) => site.event));
  const next = finding.next.map((step) => index.event(step));
  const propertySteps = finding.run?.steps ?? [];
  const steps = (propertySteps.length > 0 ? propertySteps.map((step) => index.event({ ...step, kind: step.what }))
    : finding.witness.map((step) => index.event(step)));
  const seenIn = new Map((finding.readsFrom ?? []).map((pair) => [pair.event, pair.from]));
  const writes = [...finding.sites.map((site) => index.eventNumbered(site.event)?.from), ...seenIn.values()]
    .map((event) => (event === undefined ? undefined : index.eventNumbered(event)))
    .filter((event): event is EventInfo => event !== undefined);
  const told = (finding.story?.recorded ?? []).map((event) => index.eventNumbered(event)).filter((event): event is EventInfo => event !== undefined);
  const recordedEvents = unique([
    ...finding.observed.map((step) => index.event(step)), ...steps, ...next,
    ...finding.sites.map((site) => index.event(site)), ...told, ...(propertySteps.length > 0 ? [] : writes),
  ]).sort((a, b) => a.event - b.event);
  const hasPrediction = (steps.length > 0 || next.length > 0) && (finding.status !== "observed" || propertySteps.length > 0);
  const prefix = propertySteps.length > 0 ? [] : recordedEvents.filter((event) => event.event < finding.witnessObserved + firstEvent);
  const ahead = new Set([...steps, ...next].map((event) => event.event));
  const predictedEvents = [...prefix.filter((event) => !ahead.has(event.event)), ...unique([...steps, ...next])];

  const nextSet = new Set(next.map((event) => event.event));
  const placeP = new Map(predictedEvents.map((event, i) => [event.event, i]));
  const placeR = new Map(recordedEvents.map((event, i) => [event.event, i]));
  const common = predictedEvents.filter((event) => placeR.has(event.event));
  const stays = longestIncreasing(common.map((event) => placeR.get(event.event) as number));
  const moved = hasPrediction ? common.filter((_, i) => !stays.has(i)).map((event) => event.event) : [];

  const movedSet = new Set(moved);
  const later = (event: number): number => placeP.get(event) ?? Number.POSITIVE_INFINITY;
  const recordedEdges: Edge[] = neededEdges(recordedEvents, (event) => event.from)
    .map((edge) => ({ ...edge, reversed: hasPrediction && later(edge.to) < later(edge.from) }));
  const predictedEdges: Edge[] = hasPrediction
    ? neededEdges(predictedEvents.filter((event) => !nextSet.has(event.event)), (event) => seenIn.get(event.event) ?? event.from)
      .map((edge) => ({ ...edge, reversed: (placeR.get(edge.to) ?? 0) < (placeR.get(edge.from) ?? 0) }))
    : [];

  const reversed = new Set<number>();
  for (const edge of [...recordedEdges, ...predictedEdges]) if (edge.reversed) reversed.add(edge.from).add(edge.to);
  const variables = new Set(finding.sites.map((site) => index.event(site).address ?? site.variable));
  const seenByPlaces = [...places, ...nextSet].flatMap((event) => [index.eventNumbered(event)?.from, seenIn.get(event)]);
  const story = new Set(finding.story ? [...finding.story.recorded, ...finding.story.predicted] : []);
  const explains = new Set<number | undefined>([...seenByPlaces, ...story]);
  const locks = new Set(finding.sites.flatMap((site) => site.locks.map((lock) => lock.address)));
  const isEssential = (event: EventInfo): boolean => places.has(event.event) || nextSet.has(event.event) || explains.has(event.event);
  // Where the text tells a story, private steps that happen to change their order explain nothing.
  const explainsOrder = (event: EventInfo): boolean => reversed.has(event.event) &&
    (story.size === 0 || event.synchronises === true || (event.address !== undefined && variables.has(event.address)));
  const mayMatter = (event: EventInfo): boolean => explainsOrder(event) || propertySteps.length > 0 ||
    (story.size === 0 && event.address !== undefined && (variables.has(event.address) || locks.has(event.address)));

  const rowsOf = (events: EventInfo[], name: RunName): Row[] => {
    const relevant = relevantOf(events, isEssential, mayMatter);
    return events.map((event) => ({
    event,
    place: places.has(event.event),
    next: name === "predicted" && nextSet.has(event.event),
    prefix: name === "predicted" && !ahead.has(event.event),
    absent: name === "recorded" && hasPrediction && !placeP.has(event.event),
    relevant: relevant.has(event.event),
    reversed: reversed.has(event.event),
    moved: movedSet.has(event.event),
    }));
  };
  const runOf = (name: RunName, events: EventInfo[], edges: Edge[]): Run =>
    ({ name, rows: rowsOf(events, name), edges, rowOf: new Map(events.map((event, i) => [event.event, i])) });

  const threads = [...new Set([...recordedEvents, ...predictedEvents].map((event) => event.thread))].sort((a, b) => a - b);
  return {
    recorded: runOf("recorded", recordedEvents, recordedEdges),
    predicted: hasPrediction ? runOf("predicted", predictedEvents, predictedEdges) : undefined,
    threads,
    moved,
    before: finding.witnessObserved,
    leftOut: finding.witnessLeftOut,
  };
}

// The rows to show: stretches of what does not matter become one line each.
export type Shown = { row: number } | { fold: number; first: number; rows: number[]; prefix: boolean };

export function folded(run: Run, open: Map<number, number>): Shown[] {
  const out: Shown[] = [];
  let i = 0;
  while (i < run.rows.length) {
    const row = run.rows[i] as Row;
    if (row.relevant) {
      out.push({ row: i++ });
      continue;
    }
    const rows: number[] = [];
    while (i < run.rows.length && !(run.rows[i] as Row).relevant) rows.push(i++);
    const first = (run.rows[rows[0] as number] as Row).event.event;
    const shown = Math.min(open.get(first) ?? 0, rows.length);
    for (const one of rows.slice(0, shown)) out.push({ row: one });
    const rest = rows.slice(shown);
    if (rest.length === 1 && shown === 0) out.push({ row: rest[0] as number });
    else if (rest.length > 0 || shown > 1) out.push({ fold: first, first, rows: rest, prefix: row.prefix });
  }
  return out;
}

// Where a thread holds a lock: from row to row, as far as rows show it.
export interface Band {
  thread: number;
  lock: string;
  name: string;
  shared: boolean;
  first: number; // rows
  last: number;
  depth: number;
  open: boolean; // still held where the run ends
}

export function bands(run: Run, index: Index): Band[] {
  const out: Band[] = [];
  const open = new Map<string, Band>(); // by thread and lock
  run.rows.forEach((row, i) => {
    const { event } = row;
    const held = index.context(event).locks;
    const keys = new Set(held.map((lock) => lock.address));
    for (const [key, band] of open)
      if (band.thread === event.thread && !keys.has(band.lock) && i !== band.first) open.delete(key);
    held.forEach((lock, depth) => {
      const key = `${event.thread} ${lock.address}`;
      const known = open.get(key);
      if (known) known.last = i;
      else begin(key, { thread: event.thread, lock: lock.address, name: lock.name, shared: lock.shared, first: i, last: i, depth, open: false });
    });
    if (row.next || !event.address) return;
    if (event.kind === "acquire" || event.kind === "acquire-shared") {
      const key = `${event.thread} ${event.address}`;
      if (!open.has(key))
        begin(key, { thread: event.thread, lock: event.address, name: event.variable, shared: event.kind !== "acquire", first: i, last: i, depth: held.length, open: false });
    } else if (event.kind === "release" || event.kind === "release-shared") open.delete(`${event.thread} ${event.address}`);
    else if (event.kind === "wait") open.delete(`${event.thread} ${event.value}`); // its mutex
  });
  // A thread that the finding is about stands there; of others, the last rows may not be shown.
  const standing = new Set(run.rows.flatMap((row) => (row.place || row.next ? [row.event.thread] : [])));
  for (const band of open.values()) {
    if (!standing.has(band.thread)) continue;
    band.open = true;
    band.last = run.rows.length - 1;
  }
  return out;

  function begin(key: string, band: Band): void {
    open.set(key, band);
    out.push(band);
  }
}
