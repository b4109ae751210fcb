// Lines of source with one of them marked.
import { h } from "./dom";
import { type Index, type Spot } from "./report";

export function sourceBlock(index: Index, spot: Pick<Spot, "file" | "line" | "column">, around = 7): HTMLElement {
  const part = index.excerpt(spot.file, spot.line);
  if (!part) return h("p", { class: "muted" }, spot.file ? "The source could not be read when this page was made." : "The line is not known.");
  const first = Math.max(part.first, spot.line - around);
  const last = Math.min(part.first + part.lines.length - 1, spot.line + around);
  const list = h("ol", { class: "source", start: first, "aria-label": `${spot.file}, line ${spot.line}` });
  for (let line = first; line <= last; line++) {
    const text = part.lines[line - part.first] ?? "";
    const isMarked = line === spot.line;
    const item = h("li", { class: isMarked ? "is-marked" : undefined, "aria-current": isMarked ? "true" : undefined },
      h("span", { class: "number" }, String(line)));
    const at = spot.column - 1;
    if (isMarked && at > 0 && at < text.length)
      item.append(h("code", {}, text.slice(0, at), h("mark", {}, wordAt(text, at)), text.slice(at + wordAt(text, at).length)));
    else item.append(h("code", {}, text));
    list.append(item);
  }
  return list;
}

// What the column points at.
function wordAt(text: string, at: number): string {
  return /^[\w:]+|^\S/.exec(text.slice(at))?.[0] ?? "";
}
