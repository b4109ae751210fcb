// How much the answer can be relied on: complete, or bounded by what.
import { h } from "./dom";
import { marked } from "./list";
import { type Report, shortened } from "./report";

export function coverageWord(report: Report): string {
  if (report.partial) return "interrupted";
  if (report.coverage.unanswered.length > 0) return "not everything was looked for";
  return report.coverage.complete ? "complete for this run" : "not complete";
}

export function coverageView(report: Report): HTMLElement {
  const { coverage } = report;
  const line = (count: number | string, text: string, isBound: boolean): HTMLElement =>
    h("tr", { class: isBound ? "is-bound" : undefined }, h("td", { class: "number" }, String(count)), h("td", {}, shortened(text, 800)), h("td", { class: "muted" }, isBound ? "bounds the answer" : "note"));
  const rows = coverage.limits.filter((limit) => limit.name !== suggestions).map((limit) => line(limit.count, limit.detail ? `${limit.sentence}: ${limit.detail}` : limit.sentence, !limit.complete));
  if (coverage.suppressed > 0) rows.push(line(coverage.suppressed, "findings were suppressed", false));
  if (coverage.rejected > 0) rows.push(line(coverage.rejected, "findings were withheld, because their witness did not pass the check. This is a mistake in Sooth.", true));
  for (const words of coverage.unanswered) rows.push(line("", `no answer about ${words}`, true));
  const sentence = coverage.complete && coverage.unanswered.length === 0
    ? "Every question about this run was decided: other runs that the model allows have no further error of the kinds that were looked for."
    : "There may be more errors in other runs than these findings.";
  return h("section", { class: "section coverage" }, h("h2", {}, "How complete is this?"),
    h("p", {}, sentence),
    h("p", { class: "muted" }, `${report.trace.events} events of ${report.trace.threads} thread${report.trace.threads === 1 ? "" : "s"}, ${report.trace.analysed} of them can matter; model ${report.model}; looked for ${report.find.join(", ")}.`),
    rows.length > 0 ? h("table", {}, h("tbody", {}, ...rows)) : undefined);
}

const suggestions = "unmarkedBlocks";

// Blocks that look as if they should be atomic.
export function suggestionsView(report: Report): HTMLElement | undefined {
  const limit = report.coverage.limits.find((one) => one.name === suggestions);
  if (!limit) return undefined;
  const sentences = limit.detail ? limit.detail.split("; ") : [];
  const rest = limit.count - sentences.length;
  return h("section", { class: "section coverage suggestions" }, h("h2", {}, "Worth a look, though nothing proves it wrong"),
    h("ul", {}, ...sentences.map((sentence) => h("li", {}, ...marked(sentence, 1000))),
      rest > 0 ? h("li", {}, `${rest} more block${rest === 1 ? "" : "s"} that look as if they should be atomic (--candidates lists them)`) : undefined));
}
