// How much the answer can be relied on: complete, or bounded by what.
import { h } from "./dom";
import { type Report, shortened } from "./report";

export function coverageWord(report: Report): string {
  if (report.partial) return "interrupted";
  if (report.coverage.unanswered.length > 0) return "not everything was looked for";
  return report.coverage.complete ? "complete for this run" : "bounded";
}

export function coverageView(report: Report): HTMLElement {
  const { coverage } = report;
  const line = (count: number | string, text: string, isBound: boolean): HTMLElement =>
    h("tr", { class: isBound ? "is-bound" : undefined }, h("td", { class: "number" }, String(count)), h("td", {}, shortened(text, 800)), h("td", { class: "muted" }, isBound ? "bounds the answer" : "note"));
  const rows = coverage.limits.map((limit) => line(limit.count, limit.detail ? `${limit.sentence}: ${limit.detail}` : limit.sentence, !limit.complete));
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
