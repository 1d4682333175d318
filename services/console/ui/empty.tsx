import type { ComponentChildren } from "preact";

type EmptyProps = {
  /** What is not there. */
  readonly title: ComponentChildren;
  /** What would be there, or why nothing is. */
  readonly text?: ComponentChildren;
  /** The next step: links and buttons. */
  readonly children?: ComponentChildren;
};

/** Stands in the place of a list that has nothing. */
export function Empty({ title, text, children }: EmptyProps) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {text && <p>{text}</p>}
      {children && <div class="row">{children}</div>}
    </div>
  );
}
