import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

type DialogProps = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
};

/** A window over the page, shown while it is rendered; Escape closes it. The focus goes back to where it was. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const isShown = useRef(true);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => {
      isShown.current = false;
      // Only what is closed gives the focus back; its event comes when nobody listens any more.
      dialog?.close();
      if (document.activeElement === document.body) {
        document.getElementById("content")?.focus({ preventScroll: true });
      }
    };
  }, []);
  return (
    <dialog ref={element} aria-labelledby={id} onClose={() => isShown.current && onClose()}>
      <div class="stack">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

/** The window over the page, which the shell shows until another page is there; null for none. */
export const shownWindow = signal<ComponentChildren>(null);
