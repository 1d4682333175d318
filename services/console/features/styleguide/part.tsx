import type { ComponentChildren } from "preact";

type PartProps = { readonly title: string; readonly children: ComponentChildren };

/** A kind of parts, with its examples. */
export function Part({ title, children }: PartProps) {
  return (
    <section class="panel" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
