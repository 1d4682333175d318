import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { call } from "../api/call.ts";
import { ErrorNotice, Waiting } from "../ui/call.tsx";
import { useWrite } from "../ui/form/use-write.ts";
import { Empty, isGone } from "../ui/page.tsx";
import { useRepeated } from "../ui/timers.ts";
import { type Operation, useOperation } from "./operation.ts";
import { Outcome } from "./outcome.tsx";
import { elapsedOf, KINDS, ProgressBar, progressText, STATUS_BADGES } from "./progress.tsx";

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
        {status === "running" ? (
          <ProgressBar progress={progress} />
        ) : (
          <progress aria-label="Done" {...partOf(operation)} />
        )}
        <div class="row">
          <span>{progressText(progress)}</span>
          {status === "running" ? (
            <Elapsed operation={operation} />
          ) : (
            <span class="muted">took {elapsedOf(operation, Date.now())}</span>
          )}
          {status === "running" && <Cancel id={id} reload={reload} />}
        </div>
      </section>
      {outcome ? outcome(operation) : <Outcome operation={operation} />}
    </>
  );
}

/** Of what has ended: all of it, or as far as it came. */
function partOf({ status, progress: { done, total } }: Operation) {
  const max = Math.max(total, 1);
  return { max, value: status === "succeeded" ? max : done };
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
    <button type="button" disabled={isBusy.value} onClick={cancel}>
      {isBusy.value ? "Cancelling…" : "Cancel"}
    </button>
  );
}
