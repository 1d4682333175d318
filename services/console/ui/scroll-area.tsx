import type { ComponentChildren } from "preact";

type ScrollAreaProps = { readonly label: string; readonly children: ComponentChildren };

/** A wide part that scrolls sideways, also by keyboard. */
export function ScrollArea({ label, children }: ScrollAreaProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard cannot scroll.
    <section class="scroll-x" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
