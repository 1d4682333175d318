import { signal } from "@preact/signals";

export type Theme = "light" | "dark";

const KEY = "theme";
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

/** The theme that is shown: the one chosen here, else the system's. */
export const theme = signal<Theme>(chosen() ?? systemTheme());

export function applyTheme(): void {
  prefersDark.addEventListener("change", () => {
    if (chosen() === null) show(systemTheme());
  });
  show(theme.value);
}

export function toggleTheme(): void {
  const next = theme.value === "dark" ? "light" : "dark";
  localStorage.setItem(KEY, next);
  show(next);
}

function show(next: Theme): void {
  theme.value = next;
  document.documentElement.dataset["theme"] = next;
}

function chosen(): Theme | null {
  const kept = localStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : null;
}

function systemTheme(): Theme {
  return prefersDark.matches ? "dark" : "light";
}
