import { useSignal } from "@preact/signals";
import type { FunctionComponent } from "preact";
import { useEffect } from "preact/hooks";
import type { PageRoute } from "../model/page-route.ts";
import { notice } from "../ui/call/notices.tsx";
import { Icon } from "../ui/icon.tsx";

type PaletteProps = { readonly routes: readonly PageRoute[]; readonly onClose: () => void };

/**
 * The window in which everything is found by typing; its code is loaded when it is opened.
 * @returns what opens it, and the window itself, which has to stand where nothing folds it away
 */
export function usePalette(routes: readonly PageRoute[]) {
  const opened = useSignal<{ readonly Palette: FunctionComponent<PaletteProps> } | null>(null);
  const open = () => {
    import("./palette.tsx").then((file) => {
      opened.value = file;
    }, notice.error);
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      // Of the browser it is the search field, where it has one.
      event.preventDefault();
      if (!document.querySelector("dialog[open]")) open();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const Palette = opened.value?.Palette;
  const palette = Palette ? (
    <Palette routes={routes} onClose={() => (opened.value = null)} />
  ) : null;
  return { open, palette };
}

export function PaletteButton({ onOpen }: { readonly onOpen: () => void }) {
  return (
    <button type="button" class="palette-button" aria-keyshortcuts="Control+K" onClick={onOpen}>
      <Icon name="search" />
      Go to… <kbd>Ctrl K</kbd>
    </button>
  );
}
