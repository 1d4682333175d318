import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

type FoldedProps = {
  /** What it is for, in one plain sentence. */
  readonly sentence: string;
  /** What is set there, in a few words; empty for nothing. */
  readonly told: string;
  /** Something in it was refused. */
  readonly hasProblem?: boolean;
  readonly children: () => ComponentChildren;
};

/** What only some merges need: one sentence until it is opened. */
export function Folded({ sentence, told, hasProblem = false, children }: FoldedProps) {
  const isOpen = useSignal(told !== "");
  const isShown = isOpen.value || hasProblem;
  return (
    <details
      class="folded"
      open={isShown}
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>
        <span>{sentence}</span>
        {told !== "" && <span class="badge good">{told}</span>}
      </summary>
      {isShown && <div class="stack">{children()}</div>}
    </details>
  );
}
