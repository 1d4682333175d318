import { count, elapsed } from "../ui/text/format.ts";
import type { Operation } from "./operation.ts";

export const KINDS: Readonly<Record<Operation["kind"], string>> = {
  create: "New catalogue",
  add: "Adding of events",
  import: "Import",
  merge: "Merge",
  refresh: "Refresh of a merge",
  preview: "Preview of a refresh",
  evaluate: "Evaluation of a merge",
  convert: "Conversion of magnitudes",
  decluster: "Declustering",
  compare: "Comparison",
  analysis: "Analysis",
};

export const STATUS_BADGES: Readonly<Record<Operation["status"], string>> = {
  running: "badge warning",
  succeeded: "badge good",
  failed: "badge bad",
  cancelled: "badge",
};

/** "Window 12 of 40, 3,120 events", or how many there are of how many. */
export function progressText({ done, total, unit, events }: Operation["progress"]): string {
  const all = total === 0 ? "" : ` of ${count(total)}`;
  if (events === undefined) return `${count(done)}${all} ${unit}`;
  return `${count(done)}${all} ${unit}, ${count(events)} events`;
}

/** How long it has taken, until now while it runs. */
export function elapsedOf(operation: Operation, now: number): string {
  const { status, created_at, updated_at } = operation;
  const end = status === "running" ? now : Date.parse(updated_at);
  return elapsed(end - Date.parse(created_at));
}

/** How far what runs is; a bar that moves where it is not known how much there is. */
export function ProgressBar({ progress: { done, total } }: Pick<Operation, "progress">) {
  return <progress aria-label="Done" {...(total > 0 && { max: total, value: done })} />;
}
