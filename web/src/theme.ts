// Dark or light: as the system has it, until somebody chooses.
const key = "sooth-theme";

function stored(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // not allowed for this page
  }
}

export function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function applyTheme(): void {
  const chosen = stored();
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset["theme"] = chosen;
}

export function switchTheme(): void {
  const chosen = isDark() ? "light" : "dark";
  document.documentElement.dataset["theme"] = chosen;
  try {
    localStorage.setItem(key, chosen);
  } catch {
    // Then it lasts as long as the page.
  }
}
