// Reports that no program made: hostile ones, and large ones.

const hostile = [
  "</script><script>window.hacked = 1</script>", "<!--<script>", "<img src=x onerror='window.hacked = 1'>", "\"'><b class=\"injected\">",
  "a\u0000b\u001b[31mc\u2028d\u202ee\nf", "`${window.hacked = 1}`", "javascript:window.hacked=1",
];

// Every text that comes from the analysed program becomes a hostile one; one of them is very long.
export function hostileReport(report) {
  let turn = 0;
  const keep = new Set(["kind", "status", "role", "fingerprint", "address", "value", "model", "engine"]);
  const changed = (value, name) => {
    if (typeof value === "string") return keep.has(name) || value === "" ? value : hostile[turn++ % hostile.length] + value;
    if (Array.isArray(value)) return value.map((item) => changed(item, name));
    if (value !== null && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, changed(inner, key)]));
    return value;
  };
  const out = changed(report, "");
  const long = "x<b>".repeat(2_500_000); // 10 MB
  out.findings[0].title = long;
  out.findings[0].sites[0].variable = long;
  out.events[0].what = long;
  return out;
}

export function largeReport(findings, events) {
  const file = "/src/large.cpp";
  const all = [];
  for (let event = 0; event < events; event++) {
    const thread = event % 4, kind = event % 7 === 0 ? "acquire" : event % 7 === 3 ? "release" : event % 2 === 0 ? "write" : "read";
    const variable = kind === "acquire" || kind === "release" ? "lock" : `x${event % 50}`;
    all.push({
      event, thread, kind, what: `${kind}s ${variable}`, variable, value: "0x1", text: "1", file, line: 10 + (event % 400), column: 3, function: "work()",
      address: `0x${(variable === "lock" ? 1 : 100 + (event % 50)).toString(16)}`, size: 4, context: event % 10,
      ...(kind === "read" && event > 0 ? { from: event - 1 } : {}),
    });
  }
  const step = (event) => ({ thread: event.thread, event: event.event, kind: event.kind, file, line: event.line, value: event.value, variable: event.variable });
  const site = (event) => ({ ...event, role: "access", stack: [], locks: [] });
  const made = [];
  for (let i = 0; i < findings; i++) {
    const first = i === 0 ? 0 : (i * 190) % (events - 200), last = i === 0 ? events - 1 : first + 150;
    const own = all.slice(first, last + 1);
    const odd = own.filter((event) => event.thread % 2 === 1), even = own.filter((event) => event.thread % 2 === 0);
    made.push({
      id: i + 1, fingerprint: i.toString(16).padStart(16, "0"), title: `predicted data race on \`x${i % 50}\``, kind: "race", status: "predicted", property: null,
      model: "maximal", engine: "closure", count: 1, sites: [site(own[0]), site(own[own.length - 1])],
      threads: [0, 1, 2, 3].map((thread) => ({ thread, name: "" })), observed: own.slice(-64).map(step), witnessObserved: first,
      witness: [...odd.slice(0, -1), ...even.slice(1)].map(step), witnessLeftOut: 0, next: [step(even[0]), step(odd[odd.length - 1])],
    });
  }
  return {
    sooth: "0", program: { name: "large", arguments: [], directory: "/src" }, trace: { file: "large.sooth", events, analysed: events, threads: 4 },
    partial: false, model: "maximal", find: ["races"], findings: made,
    coverage: { complete: true, unanswered: [], pieces: 1, undecided: 0, rejected: 0, suppressed: 0, limits: [] },
    events: all, contexts: Array.from({ length: 10 }, (_, i) => ({ stack: [{ file, line: 10 + i, column: 1, function: "work()" }], locks: i % 3 === 0 ? [{ name: "lock", address: "0x1", shared: false }] : [] })),
    sources: [{ file, first: 1, lines: Array.from({ length: 420 }, (_, i) => `  statement(${i + 1});`) }],
  };
}

// An observed race: a thread writes x under a lock and waits, which gives the lock up; then another one writes x.
export function waitingReport() {
  const file = "/src/waiting.cpp";
  const event = (number, thread, kind, what, more) => ({
    event: number, thread, kind, what, variable: "x", value: "0x0", text: "", file, line: 10 + number, column: 3, function: "work()", context: 0, ...more,
  });
  const events = [
    event(0, 1, "acquire", "takes lock", { address: "0x1", variable: "lock" }), event(1, 1, "write", "writes x = 1", { address: "0x100", size: 4, context: 1 }),
    event(2, 1, "wait", "waits on changed", { address: "0x50", value: "0x1", context: 1 }), event(3, 0, "write", "writes x = 2", { address: "0x100", size: 4 }),
    event(4, 0, "signal", "signals changed", { address: "0x50" }), event(5, 0, "write", "writes x = 3", { address: "0x100", size: 4 }),
  ];
  const site = (of) => ({ ...of, role: "access", stack: [], locks: [] });
  return {
    sooth: "0", program: { name: "waiting", arguments: [], directory: "/src" }, trace: { file: "waiting.sooth", events: 6, analysed: 6, threads: 2 },
    partial: false, model: "hb", find: ["races"],
    findings: [{
      id: 1, fingerprint: "1".repeat(16), title: "observed data race on `x`", kind: "race", status: "observed", property: null, model: "hb", engine: "memory-model",
      count: 1, sites: [site(events[1]), site(events[5])], threads: [{ thread: 0, name: "" }, { thread: 1, name: "" }], observed: events,
      story: { recorded: events.map((of) => of.event), predicted: [] }, witnessObserved: 0, witness: [], witnessLeftOut: 0, next: [],
    }],
    coverage: { complete: true, unanswered: [], pieces: 1, undecided: 0, rejected: 0, suppressed: 0, limits: [] },
    events, contexts: [{ stack: [], locks: [] }, { stack: [], locks: [{ name: "lock", address: "0x1", shared: false }] }], sources: [],
  };
}
