// A property's states along both runs, one column for each variable, the failing state marked.
import { h } from "./dom";
import { latticeView } from "./lattice";
import { type Finding, placeText, type RunStep, shortened, threadName } from "./report";

export type State = Map<string, string>;

// "x = 1, y = f(a, b)": commas inside of brackets do not end a value.
export function parseState(text: string): State {
  const out: State = new Map();
  let depth = 0, part = "";
  const end = (): void => {
    const at = part.indexOf(" = ");
    if (at > 0) out.set(part.slice(0, at).trim(), part.slice(at + 3).trim());
    part = "";
  };
  for (const letter of text) {
    if ("([{".includes(letter)) depth++;
    if (")]}".includes(letter)) depth--;
    if (letter === "," && depth <= 0) end();
    else part += letter;
  }
  end();
  return out;
}

// The states of the recorded run follow from what each step changes. A step that changes nothing
// here may change something there if it assigns: its own words say what.
export function recordedStates(initial: string, steps: RunStep[]): { step: RunStep; state: State }[] | undefined {
  if (steps.some((step) => step.observed === 0)) return undefined;
  const effects = new Map<RunStep, State>();
  let before = parseState(initial);
  for (const step of steps) {
    const after = parseState(step.state);
    const effect: State = new Map([...after].filter(([name, value]) => before.get(name) !== value));
    const assigned = parseState(step.what);
    for (const [name, value] of assigned) if (after.has(name)) effect.set(name, after.get(name) ?? value);
    effects.set(step, effect);
    before = after;
  }
  let state = parseState(initial);
  return [...steps].sort((a, b) => a.observed - b.observed).map((step) => {
    state = new Map([...state, ...(effects.get(step) ?? [])]);
    return { step, state };
  });
}

export function statesView(finding: Finding, choose: (event: number, run: "recorded" | "predicted") => void): HTMLElement | undefined {
  const run = finding.run;
  const steps = run?.steps ?? [];
  if (!run?.rule || steps.length === 0) return undefined;
  const names = [...parseState(run.initial ?? "").keys()];
  const predicted = steps.map((step) => ({ step, state: parseState(step.state) }));
  const recorded = (run.skipped ?? 0) === 0 ? recordedStates(run.initial ?? "", steps) : undefined;
  const table = (title: string, rows: { step: RunStep; state: State }[], which: "recorded" | "predicted"): HTMLElement => {
    const head = h("tr", {}, h("th", {}, ""), h("th", {}, "thread"), h("th", {}, "step"), ...names.map((name) => h("th", { class: "variable" }, shortened(name, 60))));
    const first = h("tr", { class: "initial" }, h("td", {}), h("td", {}), h("td", {}, "initially"),
      ...names.map((name) => h("td", { class: "value" }, parseState(run.initial ?? "").get(name) ?? "")));
    let before = parseState(run.initial ?? "");
    const body = rows.map(({ step, state }, i) => {
      const fails = which === "predicted" && i === rows.length - 1 && !run.repeated;
      const repeats = which === "predicted" && run.repeated !== undefined && i >= rows.length - run.repeated;
      const row = h("tr", {
        class: fails ? "fails" : repeats ? "repeats" : undefined, tabindex: 0, "data-state": which,
        click: () => choose(step.event, which), keydown: (event: KeyboardEvent) => { if (event.key === "Enter") choose(step.event, which); },
      },
        h("td", { class: "number" }, String(which === "predicted" ? (run.skipped ?? 0) + i + 1 : step.observed)),
        h("td", {}, threadName(finding, step.thread)),
        h("td", {}, h("span", { class: "mono" }, shortened(step.what, 80)), h("span", { class: "muted step-place" }, placeText(step))),
        ...names.map((name) => h("td", { class: `value${before.get(name) !== state.get(name) ? " is-changed" : ""}` }, shortened(state.get(name) ?? "", 40))));
      before = state;
      return row;
    });
    const failing = which === "predicted" && !run.repeated ? h("tr", { class: "verdict" }, h("td", { colspan: 3 + names.length }, "the property fails here")) : undefined;
    const again = which === "predicted" && run.repeated ? h("tr", { class: "verdict" }, h("td", { colspan: 3 + names.length }, `the last ${run.repeated} step${run.repeated === 1 ? "" : "s"} can go on for ever`)) : undefined;
    return h("figure", { class: "states" }, h("figcaption", {}, title),
      h("div", { class: "table-box" }, h("table", {}, h("thead", {}, head), h("tbody", {}, first, ...body, ...[failing, again].filter((row): row is HTMLTableRowElement => row !== undefined)))));
  };
  return h("section", { class: "section" }, h("h3", {}, "States"),
    h("pre", { class: "rule" }, shortened(run.rule, 2000)),
    h("div", { class: "two" },
      recorded ? table("Recorded run", recorded, "recorded") : undefined,
      table(finding.status === "observed" ? "Run that violates it (as recorded)" : "Predicted run", predicted, "predicted"),
      latticeView(finding, choose)));
}
