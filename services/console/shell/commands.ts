import { mayUse } from "../api/session.ts";
import type { PageRoute } from "../model/page-route.ts";
import { chooseTheme } from "../ui/style/theme.ts";

/** Something that can be gone to or done, found by its words. */
export type Command = {
  /** Where it belongs, in front of its text. */
  readonly group: "Pages" | "Catalogues" | "This catalogue" | "This page" | "Look";
  readonly text: string;
  /** Where it leads, or what it does. */
  readonly to: string | (() => void);
};

/** Most that are listed at once. */
const MOST = 12;

/** Commands that have every word of a search, whatever its case and its accents. */
export function found(commands: readonly Command[], search: string): readonly Command[] {
  const words = folded(search).split(/\s+/).filter(Boolean);
  return commands
    .filter(({ group, text }) => {
      const all = folded(`${group} ${text}`);
      return words.every((word) => all.includes(word));
    })
    .slice(0, MOST);
}

function folded(text: string): string {
  return text
    .normalize("NFD")
    .replaceAll(/\p{Mn}/gu, "")
    .toLowerCase();
}

/** The pages that need no further choice, of those that are permitted. */
export function pageCommands(routes: readonly PageRoute[]): readonly Command[] {
  return routes
    .filter(({ path, role }) => path !== "/" && !path.includes(":") && mayUse(role))
    .map(({ path, title }) => ({ group: "Pages", text: title, to: path }));
}

const CATALOGUE = "/catalogues/:id";
/** Of an event or a schedule among a catalogue's. */
const FURTHER_CHOICE = /:id\/.*:/;

/** The pages of the catalogue that is looked at. */
export function catalogueCommands(path: string, routes: readonly PageRoute[]): readonly Command[] {
  const id = /^\/catalogues\/([^/]+)/.exec(path)?.[1];
  if (id === undefined) return [];
  return routes
    .filter((route) => route.path.startsWith(CATALOGUE) && !FURTHER_CHOICE.test(route.path))
    .filter(({ role }) => mayUse(role))
    .map((route) => ({
      group: "This catalogue",
      text: route.path === CATALOGUE ? "Events" : route.title,
      to: route.path.replace(":id", id),
    }));
}

/** What the page itself offers at its head: its buttons, pressed as by hand. */
export function actionsOfPage(): readonly Command[] {
  const buttons = document.querySelectorAll<HTMLElement>("main .page-head :is(button, a)");
  return [...buttons].flatMap((element) => {
    const text = (element.getAttribute("aria-label") ?? element.textContent ?? "").trim();
    return text === "" || (element instanceof HTMLButtonElement && element.disabled)
      ? []
      : [{ group: "This page", text, to: () => element.click() }];
  });
}

export const LOOKS: readonly Command[] = [
  { group: "Look", text: "Light theme", to: () => chooseTheme("light") },
  { group: "Look", text: "Dark theme", to: () => chooseTheme("dark") },
  { group: "Look", text: "Theme of the system", to: () => chooseTheme("system") },
];
