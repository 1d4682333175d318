import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { call } from "../api/call.ts";
import { mayUse } from "../api/session.ts";
import { useCall } from "../ui/call.tsx";
import { Dialog } from "../ui/form/dialog.tsx";
import type { PageRoute } from "../ui/page.tsx";
import { chooseTheme } from "../ui/style/theme.ts";
import { pause } from "../ui/timers.ts";

type PaletteProps = { readonly routes: readonly PageRoute[]; readonly onClose: () => void };

/** After this pause in typing catalogues are searched. */
const PAUSE_MS = 150;
const CATALOGUES = 6;
const LIST = "palette-list";

/** Everything that one can go to or do, by typing a part of its name. */
export function Palette({ routes, onClose }: PaletteProps) {
  const [path, navigate] = useLocation();
  const search = useSignal("");
  const at = useSignal(0);
  const here = useMemo(
    () => [
      ...actionsOfPage(),
      ...catalogueCommands(path, routes),
      ...pageCommands(routes),
      ...LOOKS,
    ],
    [],
  );
  const commands = [...found(here, search.value), ...useCatalogues(search.value)];
  const last = commands.length - 1;
  const chosen = Math.min(at.value, last);
  const run = ({ to }: Command) => {
    onClose();
    // When the window has gone: what is pressed may open another.
    if (typeof to === "string") navigate(to);
    else requestAnimationFrame(to);
  };
  const onKey = (event: KeyboardEvent) => {
    const command = commands[chosen];
    if (event.key === "ArrowDown") at.value = chosen >= last ? 0 : chosen + 1;
    else if (event.key === "ArrowUp") at.value = chosen <= 0 ? last : chosen - 1;
    else if (event.key === "Enter" && command) run(command);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to or do" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label="Page, catalogue or action"
        aria-expanded="true"
        aria-controls={LIST}
        aria-activedescendant={chosen >= 0 ? `${LIST}-${chosen}` : undefined}
        placeholder="Page, catalogue or action"
        autocomplete="off"
        value={search.value}
        onInput={({ currentTarget }) => {
          search.value = currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={onKey}
      />
      <Options commands={commands} chosen={chosen} onRun={run} />
      {commands.length === 0 && <p class="muted">Nothing has these words.</p>}
    </Dialog>
  );
}

type OptionsProps = {
  readonly commands: readonly Command[];
  readonly chosen: number;
  readonly onRun: (command: Command) => void;
};

function Options({ commands, chosen, onRun }: OptionsProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <div ref={list} id={LIST} class="palette" role="listbox" aria-label="Found">
      {commands.map((command, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys.
        <div
          key={`${command.group} ${command.text} ${index}`}
          id={`${LIST}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          onClick={() => onRun(command)}
        >
          <span>{command.text}</span> <span class="hint">{command.group}</span>
        </div>
      ))}
    </div>
  );
}

/** Catalogues with a part of their name, once typing has paused. */
function useCatalogues(search: string): readonly Command[] {
  const text = search.trim();
  const { last } = useCall(text, async (signal) => {
    if (text === "") return [];
    await pause(PAUSE_MS, signal);
    const query = { search: text, pageSize: CATALOGUES };
    return (await call("GET /api/catalogues", { query }, { signal })).catalogues;
  });
  if (text === "") return [];
  return (last ?? []).map(({ id, name }) => ({
    group: "Catalogues",
    text: name,
    to: `/catalogues/${id}`,
  }));
}

/** Something that can be gone to or done, found by its words. */
type Command = {
  /** Where it belongs, in front of its text. */
  readonly group: "Pages" | "Catalogues" | "This catalogue" | "This page" | "Look";
  readonly text: string;
  /** Where it leads, or what it does. */
  readonly to: string | (() => void);
};

/** Most that are listed at once. */
const MOST = 12;

/** Commands that have every word of a search, whatever its case and its accents. */
function found(commands: readonly Command[], search: string): readonly Command[] {
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
function pageCommands(routes: readonly PageRoute[]): readonly Command[] {
  return routes
    .filter(({ path, role }) => path !== "/" && !path.includes(":") && mayUse(role))
    .map(({ path, title }) => ({ group: "Pages", text: title, to: path }));
}

const CATALOGUE = "/catalogues/:id";
/** Of an event or a schedule among a catalogue's. */
const FURTHER_CHOICE = /:id\/.*:/;

/** The pages of the catalogue that is looked at. */
function catalogueCommands(path: string, routes: readonly PageRoute[]): readonly Command[] {
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
function actionsOfPage(): readonly Command[] {
  const buttons = document.querySelectorAll<HTMLElement>("main .page-head :is(button, a)");
  return [...buttons].flatMap((element) => {
    const text = (element.getAttribute("aria-label") ?? element.textContent ?? "").trim();
    return text === "" || (element instanceof HTMLButtonElement && element.disabled)
      ? []
      : [{ group: "This page", text, to: () => element.click() }];
  });
}

const LOOKS: readonly Command[] = [
  { group: "Look", text: "Light theme", to: () => chooseTheme("light") },
  { group: "Look", text: "Dark theme", to: () => chooseTheme("dark") },
  { group: "Look", text: "Theme of the system", to: () => chooseTheme("system") },
];
