/** A key that the whole console knows, and what it does. */
export type Shortcut = { readonly keys: string; readonly does: string };

/** The help lists them; those of the map belong to it while it has the focus. */
export const SHORTCUTS: readonly Shortcut[] = [
  { keys: "/", does: "go to the search or the filters" },
  { keys: "g c", does: "go to the catalogues" },
  { keys: "[ and ]", does: "show the version before or after" },
  { keys: "arrows, + and −", does: "move and zoom the map; arrows walk through the table" },
  { keys: "0", does: "show all events on the map" },
  { keys: "Enter", does: "open the chosen event" },
  { keys: "Esc", does: "close a window or leave a choice" },
  { keys: "?", does: "show these keys" },
];

/** Time for the second key of "g c". */
const SEQUENCE_MS = 1_000;

type Actions = { readonly openCatalogues: () => void; readonly openHelp: () => void };

/**
 * Listens for the keys of the console. An element with `data-shortcut` is found by its key: a field
 * gets the focus, anything else is clicked.
 * @returns what ends the listening
 */
export function listenForShortcuts({ openCatalogues, openHelp }: Actions): () => void {
  let wentAt = Number.NEGATIVE_INFINITY;
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const isSecond = event.timeStamp - wentAt < SEQUENCE_MS;
    wentAt = event.key === "g" ? event.timeStamp : Number.NEGATIVE_INFINITY;
    if (event.key === "?") openHelp();
    else if (event.key === "c" && isSecond) openCatalogues();
    else if (!use(event.key)) return;
    event.preventDefault();
  };
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}

function use(key: string): boolean {
  const element = document.querySelector<HTMLElement>(`[data-shortcut="${CSS.escape(key)}"]`);
  if (!element || document.querySelector("dialog[open]")) return false;
  if (element instanceof HTMLInputElement) element.focus();
  else element.click();
  return true;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
