import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { call } from "../api/call.ts";
import { ErrorNotice, Waiting } from "../ui/call.tsx";
import { useWrite } from "../ui/form/use-write.ts";
import { Button, Empty, isGone } from "../ui/page.tsx";
import { count, elapsed } from "../ui/text/format.ts";
import { useRepeated } from "../ui/timers.ts";
import { type Operation, useOperation } from "./operation.ts";
import { Outcome } from "./outcome.tsx";

type OperationViewProps = {
  readonly id: string;
  /** What is shown of it below its progress; by default what came of it. */
  readonly outcome?: (operation: Operation) => ComponentChildren;
  /** Told once that it has ended. */
  readonly onEnded?: (operation: Operation) => void;
};

/** An operation as it goes on, and what came of it. */
export function OperationView({ id, outcome, onEnded }: OperationViewProps) {
  const { operation, error, reload } = useOperation(id);
  const hasEnded = operation !== null && operation.status !== "running";
  useEffect(() => {
    if (hasEnded) onEnded?.(operation);
  }, [hasEnded]);
  if (operation === null) {
    if (error === null) return <Waiting />;
    if (!isGone(error)) return <ErrorNotice error={error} retry={reload} />;
    return (
      <Empty
        title="There is no such operation."
        text="What has ended is kept for seven days, and is seen by whoever began it and by administrators."
      />
    );
  }
  const { kind, status, progress } = operation;
  return (
    <>
      <section class="panel" aria-label="Progress">
        <div class="row" role="status">
          <h2>{KINDS[kind]}</h2>
          <span class={STATUS_BADGES[status]}>{status}</span>
        </div>
        <ProgressBar status={status} progress={progress} />
        <div class="row">
          <span>{progressText(progress)}</span>
          {hasEnded ? (
            <span class="muted">took {elapsedOf(operation, Date.now())}</span>
          ) : (
            <>
              <Elapsed operation={operation} />
              <Cancel id={id} reload={reload} />
            </>
          )}
        </div>
      </section>
      {outcome ? outcome(operation) : <Outcome operation={operation} />}
    </>
  );
}

/** Ticks while it is shown. */
function Elapsed({ operation }: { readonly operation: Operation }) {
  const now = useSignal(Date.now());
  useRepeated(1_000, () => {
    now.value = Date.now();
  });
  return <span class="muted">{elapsedOf(operation, now.value)} elapsed</span>;
}

function Cancel({ id, reload }: { readonly id: string; readonly reload: () => void }) {
  const { isBusy, write } = useWrite();
  const cancel = () =>
    write({
      send: (options) => call("DELETE /api/operations/:id", { params: { id } }, options),
      done: "Cancelled",
      reload,
    });
  return (
    <Button
      disabled={isBusy.value}
      onClick={cancel}
      text={isBusy.value ? "Cancelling…" : "Cancel"}
    />
  );
}

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

/** How far it is, in a bar that moves where that is not known; of what has ended all of it, or as far as it came. */
export function ProgressBar({ status, progress }: Pick<Operation, "status" | "progress">) {
  const { done, total } = progress;
  const max = Math.max(total, 1);
  const part =
    status === "running"
      ? total > 0 && { max, value: done }
      : { max, value: status === "succeeded" ? max : done };
  return <progress aria-label="Done" {...part} />;
}
