// Names as people write them: what the report's text does, too (src/report/terminal/type_names.h).

// Templates of the standard library that are there only as default arguments of others.
const defaults = ["allocator<", "char_traits<", "default_delete<", "equal_to<", "hash<", "less<"];
const longest = 4096; // longer text is no name, and looking through it would take its square

// The end of the template whose `<` is before `begin`; -1 if it has none.
function endOfTemplate(text: string, begin: number): number {
  let depth = 1;
  for (let i = begin; i < text.length; i++) {
    if (text[i] === "<") depth++;
    if (text[i] === ">" && text[i - 1] !== "-" && --depth === 0) return i + 1;
  }
  return -1;
}

// How many characters from `at` on are a default argument with its comma.
function defaultArgument(text: string, at: number): number {
  const next = ", std::";
  if (!text.startsWith(next, at)) return 0;
  const found = defaults.find((name) => text.startsWith(name, at + next.length));
  if (!found) return 0;
  const end = endOfTemplate(text, at + next.length + found.length);
  // `f(int, std::allocator<int>)` has it as a parameter: only `>` or another argument may follow.
  return end >= 0 && (/^ ?>/.test(text.slice(end, end + 2)) || defaultArgument(text, end) > 0) ? end - at : 0;
}

// `std::string` for `std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>`.
export function withShortTypes(text: string): string {
  if (text.length > longest || !text.includes("std::")) return text;
  let out = "";
  for (let i = 0; i < text.length;) {
    const skipped = defaultArgument(text, i);
    if (skipped > 0) i += skipped;
    else out += text[i++];
  }
  return out.replaceAll("std::__cxx11::", "std::").replaceAll("std::basic_string<char>", "std::string");
}

// Every text of the report, but not the program's sources.
export function shortenTypes<T>(report: T): T {
  const known = new Map<string, string>();
  const short = (value: unknown): unknown => {
    if (typeof value === "string") {
      if (!value.includes("std::")) return value;
      const made = known.get(value) ?? withShortTypes(value);
      known.set(value, made);
      return made;
    }
    if (Array.isArray(value)) for (let i = 0; i < value.length; i++) value[i] = short(value[i]);
    else if (value !== null && typeof value === "object")
      for (const [name, inner] of Object.entries(value)) if (name !== "sources") (value as Record<string, unknown>)[name] = short(inner);
    return value;
  };
  return short(report) as T;
}

// The part behind the last scope: `balance_` of `bank::Account<int>::balance_`.
export function withoutScope(name: string): string {
  if (name.length > longest || /[\s`]/.test(name.replace(/<.*>/, ""))) return name;
  let depth = 0, begin = 0;
  for (let i = 0; i + 1 < name.length; i++) {
    if ("<([{".includes(name[i] as string)) depth++;
    if (">)]}".includes(name[i] as string)) depth--;
    if (depth === 0 && name[i] === ":" && name[i + 1] === ":") begin = i + 2;
  }
  return name.slice(begin);
}
