// Elements. Text is always set as text, never as markup: it comes from the analysed program.

type Child = Node | string | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value as (event: Event) => void);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== undefined && child !== false) element.append(child);
  return element;
}

export function replace(place: Element, ...children: Child[]): void {
  place.replaceChildren(...children.filter((child): child is Node | string => child !== undefined && child !== false));
}
