import { computed, effect, signal } from "@preact/signals";

export type Theme = "light" | "dark";
export type ThemeChoice = Theme | "system";

const KEY = "theme";
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const systemTheme = signal<Theme>(prefersDark.matches ? "dark" : "light");

/** What was chosen here. */
export const themeChoice = signal<ThemeChoice>(chosenBefore());

/** The theme that is shown. */
export const theme = computed<Theme>(() =>
  themeChoice.value === "system" ? systemTheme.value : themeChoice.value,
);

/** Shows the theme, and follows the system and the choice from now on. */
export function applyTheme(): void {
  prefersDark.addEventListener("change", ({ matches }) => {
    systemTheme.value = matches ? "dark" : "light";
  });
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
  });
}

export function chooseTheme(choice: ThemeChoice): void {
  themeChoice.value = choice;
  storeChoice(KEY, choice === "system" ? null : choice);
}

function chosenBefore(): ThemeChoice {
  const stored = storedChoice(KEY);
  return stored === "light" || stored === "dark" ? stored : "system";
}

/** What was chosen here before; null without, or where the browser keeps nothing for pages. */
function storedChoice(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Keeps a choice for the next visit, where the browser lets pages keep something; null forgets it. */
function storeChoice(key: string, choice: string | null): void {
  try {
    if (choice === null) localStorage.removeItem(key);
    else localStorage.setItem(key, choice);
  } catch {
    // It holds until the page is left.
  }
}
