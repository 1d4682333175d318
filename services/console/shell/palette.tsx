import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { call } from "../api/call.ts";
import type { PageRoute } from "../model/page-route.ts";
import { pause } from "../ui/call/pause.ts";
import { useCall } from "../ui/call/use-call.ts";
import { Dialog } from "../ui/form/dialog.tsx";
import {
  actionsOfPage,
  type Command,
  catalogueCommands,
  found,
  LOOKS,
  pageCommands,
} from "./commands.ts";

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
