import { listen } from "../ui/listen.ts";
/** A key that the whole console knows, and what it does. */
export type Shortcut = { readonly keys: readonly string[]; readonly does: string };

/** The help lists them; those of the map belong to it while it has the focus. */
export const SHORTCUTS: readonly Shortcut[] = [
  { keys: ["Ctrl", "K"], does: "find a page, a catalogue or an action by its name" },
  { keys: ["/"], does: "go to the search or the filters" },
  { keys: ["g", "c"], does: "go to the catalogues" },
  { keys: ["[", "]"], does: "show the version before or after" },
  { keys: ["arrows", "+", "−"], does: "move and zoom the map; arrows walk through the table" },
  { keys: ["0"], does: "show all events on the map" },
  {
    keys: ["b", "o", "p", "m", "s"],
    does: "draw a box, a circle, a polygon, a ruler or a section on the map",
  },
  { keys: ["Space", "⌫", "Enter"], does: "set, take back and close the vertices of a polygon" },
  { keys: ["s", "d", "l"], does: "on the review desk: same earthquake, different, later" },
  { keys: ["u", "n", "←", "→"], does: "on the review desk: undo, note, previous and next pair" },
  { keys: ["Enter"], does: "open the chosen event" },
  { keys: ["Esc"], does: "close a window or leave a choice" },
  { keys: ["?"], does: "show these keys" },
];

/** Time for the second key of "g c". */
const SEQUENCE_MS = 1_000;

/** What a key asks for: something of the whole console, or an element that names the key. */
export type Wish = "catalogues" | "help" | { readonly key: string };

/** A pressed key, with what was held down. `isAltGraph`: for the third sign on the key. */
export type Pressed = Pick<
  KeyboardEvent,
  "key" | "timeStamp" | "ctrlKey" | "metaKey" | "altKey"
> & { readonly isAltGraph: boolean };

/** Reads keys one after the other; null for those that belong to the browser. */
export function createKeyReader(): (pressed: Pressed) => Wish | null {
  let wentAt = Number.NEGATIVE_INFINITY;
  return (pressed) => {
    const { key, timeStamp } = pressed;
    if (isCommand(pressed)) return null;
    const isSecond = timeStamp - wentAt < SEQUENCE_MS;
    wentAt = key === "g" ? timeStamp : Number.NEGATIVE_INFINITY;
    if (key === "?") return "help";
    return key === "c" && isSecond ? "catalogues" : { key };
  };
}

/**
 * Whether keys were held down that make it a command of the browser. Many keyboards have `[` and `]`
 * as a third sign: with AltGr, which Windows reports as Ctrl and Alt together, or with a Mac's Option.
 */
function isCommand({ key, ctrlKey, metaKey, altKey, isAltGraph }: Pressed): boolean {
  if (metaKey) return true;
  if (isAltGraph) return false;
  return ctrlKey || (altKey && key !== "[" && key !== "]");
}

type Actions = { readonly openCatalogues: () => void; readonly openHelp: () => void };

/**
 * Listens for the keys of the console, except while somebody types or a window is open over the page.
 * An element with `data-shortcut` is found by its key: a field gets the focus, anything else is clicked.
 * @returns what ends the listening
 */
export function listenForShortcuts({ openCatalogues, openHelp }: Actions): () => void {
  const read = createKeyReader();
  const onKey = (event: KeyboardEvent): void => {
    if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
    const { key, timeStamp, ctrlKey, metaKey, altKey } = event;
    const isAltGraph = event.getModifierState("AltGraph");
    const wish = read({ key, timeStamp, ctrlKey, metaKey, altKey, isAltGraph });
    if (wish === null) return;
    if (wish === "help") openHelp();
    else if (wish === "catalogues") openCatalogues();
    else if (!use(wish.key)) return;
    event.preventDefault();
  };
  return listen({ keydown: onKey });
}

function use(key: string): boolean {
  const element = document.querySelector<HTMLElement>(`[data-shortcut="${CSS.escape(key)}"]`);
  if (!element) return false;
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
