// The page: a bar, the list, the chosen finding.
import "./style.css";
import { coverageView, coverageWord, suggestionsView } from "./coverage";
import { h, replace } from "./dom";
import { FindingView } from "./finding";
import { List } from "./list";
import { shortenTypes } from "./names";
import { baseName, embedded, type Finding, Index, isShelf, type Report, type Shelf, shortened } from "./report";
import { applyTheme, switchTheme } from "./theme";

applyTheme();
const page = document.getElementById("page") as HTMLElement;

const keys: [string, string][] = [
  ["j  k", "next, previous finding"], ["/", "search"], ["e", "to the events of the runs"],
  ["↑ ↓ ← →", "from event to event, from run to run"], ["w", "from a read to the write it sees"], ["f", "unfold or fold all"],
  ["c", "how complete this is"], ["t", "dark or light"], ["?", "these keys"], ["Esc", "close"],
];

function helpDialog(): HTMLDialogElement {
  const dialog = h("dialog", { class: "help", "aria-label": "Keys" }, h("h2", {}, "Keys"),
    h("dl", {}, ...keys.flatMap(([key, text]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)])),
    h("form", { method: "dialog" }, h("button", { class: "quiet" }, "Close")));
  return dialog;
}

function showReport(report: Report): void {
  const index = new Index(report);
  const name = baseName(report.program.name) || baseName(report.trace.file);
  document.title = `${shortened(name, 60)} · Sooth`;
  const main = h("main", { class: "main", tabindex: -1 });
  let view: FindingView | undefined;
  const help = helpDialog();

  const showCoverage = (): void => {
    view?.dispose();
    view = undefined;
    replace(main, coverageView(report), suggestionsView(report));
    main.focus({ preventScroll: true });
  };
  const showFinding = (finding: Finding | undefined): void => {
    view?.dispose();
    view = undefined;
    if (!finding) {
      replace(main, report.findings.length === 0
        ? h("div", { class: "empty" }, h("h2", {}, "Nothing found"), suggestionsView(report), coverageView(report))
        : h("div", { class: "empty" }, h("h2", {}, "No finding passes the filter")));
      return;
    }
    view = new FindingView(finding, index);
    replace(main, view.element);
    main.scrollTop = 0;
    view.drawn();
    history.replaceState(null, "", `#${finding.fingerprint}`);
  };
  const list = new List(report, showFinding);
  const arguments_ = report.program.arguments.slice(1).join(" ");
  const bar = h("header", { class: "bar" },
    h("span", { class: "mark" }, "Sooth"),
    h("span", { class: "program", title: shortened(`${report.program.name} ${arguments_}`, 400) }, shortened(name, 60)),
    h("span", { class: "muted run-facts" }, `${report.trace.events} events · ${report.trace.threads} thread${report.trace.threads === 1 ? "" : "s"} · ${report.model}`),
    h("span", { class: "space" }),
    location.protocol.startsWith("http") ? h("a", { class: "quiet", href: "/" }, "All reports") : undefined,
    h("button", { type: "button", class: `pill${report.coverage.complete && report.coverage.unanswered.length === 0 ? "" : " is-bound"}`, "data-action": "coverage", click: showCoverage }, coverageWord(report)),
    h("button", { type: "button", class: "quiet", "data-action": "theme", title: "Dark or light (t)", click: switchTheme }, "Theme"),
    h("button", { type: "button", class: "quiet", title: "Keys (?)", click: () => help.showModal() }, "Keys"));
  replace(page, bar, list.element, main, help);
  const wanted = location.hash.slice(1);
  if (wanted) list.pickBy(wanted);
  addEventListener("hashchange", () => list.pickBy(location.hash.slice(1)));

  addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.key === "Escape" && typing) (event.target as HTMLElement).blur();
    if (typing || event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    switch (event.key) {
      case "j": list.move(1); break;
      case "k": list.move(-1); break;
      case "/": list.focusSearch(); break;
      case "e": (main.querySelector<HTMLElement>(".runs .row.is-chosen") ?? main.querySelector<HTMLElement>(".runs .row"))?.focus(); break;
      case "w": view?.toWrite(); break;
      case "f": view?.diagram.toggleFolds(); break;
      case "c": showCoverage(); break;
      case "t": switchTheme(); break;
      case "?": help.showModal(); break;
      default: return;
    }
    event.preventDefault();
  });
}

function showShelf(shelf: Shelf): void {
  document.title = "Reports · Sooth";
  replace(page,
    h("header", { class: "bar" }, h("span", { class: "mark" }, "Sooth"), h("span", { class: "program" }, shortened(shelf.folder, 100)), h("span", { class: "space" }),
      h("button", { type: "button", class: "quiet", "data-action": "theme", click: switchTheme }, "Theme")),
    h("main", { class: "main shelf" }, h("section", { class: "section" }, h("h2", {}, `${shelf.reports.length} report${shelf.reports.length === 1 ? "" : "s"}`),
      h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "report"), h("th", {}, "program"), h("th", { class: "number" }, "findings"), h("th", {}, ""))),
        h("tbody", {}, ...shelf.reports.map((one) => h("tr", {},
          h("td", {}, one.problem ? shortened(one.name) : h("a", { href: one.path }, shortened(one.name))),
          h("td", {}, shortened(baseName(one.program))), h("td", { class: "number" }, one.problem ? "" : String(one.findings)),
          h("td", { class: "muted" }, one.problem ? shortened(one.problem) : one.complete ? "complete" : "not complete"))))))));
}

try {
  const data = shortenTypes(embedded());
  if (isShelf(data)) showShelf(data);
  else showReport(data);
} catch (problem) {
  replace(page, h("p", { id: "loading" }, `The report inside this page cannot be read: ${String(problem)}`));
}
