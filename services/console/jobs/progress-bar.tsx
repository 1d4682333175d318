import type { Operation } from "./use-operation.ts";

type ProgressBarProps = { readonly progress: Operation["progress"] };

/** How far what runs is; a bar that moves where it is not known how much there is. */
export function ProgressBar({ progress: { done, total } }: ProgressBarProps) {
  return <progress aria-label="Done" {...(total > 0 && { max: total, value: done })} />;
}
