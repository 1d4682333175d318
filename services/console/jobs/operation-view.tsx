import { useSignal } from "@preact/signals";
import { call } from "../api/call.ts";
import { ErrorNotice } from "../ui/call/error-notice.tsx";
import { notice } from "../ui/call/notices.tsx";
import { useAction } from "../ui/call/use-action.ts";
import { useRepeated } from "../ui/call/use-repeated.ts";
import { Waiting } from "../ui/call/waiting.tsx";
import { useAttempts } from "../ui/form/use-attempts.ts";
import { Outcome } from "./outcome.tsx";
import { type Operation, useOperation } from "./use-operation.ts";
import { elapsedOf, KINDS, progressText, STATUS_BADGES } from "./words.ts";

/** An operation as it goes on, and what came of it. */
export function OperationView({ id }: { readonly id: string }) {
  const { operation, error, reload } = useOperation(id);
  if (operation === null) {
    return error === null ? <Waiting /> : <ErrorNotice error={error} retry={reload} />;
  }
  const { kind, status, progress } = operation;
  return (
    <>
      <section class="panel" aria-label="Progress">
        <div class="row" role="status">
          <h2>{KINDS[kind]}</h2>
          <span class={STATUS_BADGES[status]}>{status}</span>
        </div>
        <progress
          aria-label="Done"
          max={Math.max(progress.total, 1)}
          {...(progress.total > 0 || status !== "running"
            ? { value: status === "succeeded" ? Math.max(progress.total, 1) : progress.done }
            : {})}
        />
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
      <Outcome operation={operation} />
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

type CancelProps = { readonly id: string; readonly reload: () => void };

function Cancel({ id, reload }: CancelProps) {
  const { isBusy, run } = useAction();
  const attempt = useAttempts();
  const cancel = () =>
    run(async () => {
      await attempt(id, (idempotencyKey) =>
        call("DELETE /api/operations/:id", { params: { id } }, { idempotencyKey }),
      );
      notice.done("Cancelled");
      reload();
    }, onRefused);
  // Above all: it has ended meanwhile, which the reload shows.
  const onRefused = (error: unknown) => {
    notice.error(error);
    reload();
  };
  return (
    <button type="button" disabled={isBusy.value} onClick={cancel}>
      {isBusy.value ? "Cancelling…" : "Cancel"}
    </button>
  );
}
