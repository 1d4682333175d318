import { sleep } from "#infra/postgres/backoff.ts";
import type { Batch } from "./event-log.ts";

/** How long a batch without events waits for one that takes its place. */
const WAIT_MS = 100;

type Held = { readonly batch: Batch; readonly due: Promise<"due"> };

/**
 * The same batches with fewer that are empty: of those that come within a tenth of a second only the
 * last is given, and none when one with events follows. Who stores each position saves a commit for
 * events that are not his; after a crash he passes over them again.
 * @param subscribe is given a signal that also aborts when the reader has left
 */
export async function* sparingBatches(
  subscribe: (signal: AbortSignal) => AsyncIterable<Batch>,
  signal: AbortSignal,
): AsyncGenerator<Batch, void, void> {
  const leaving = new AbortController();
  const ended = AbortSignal.any([signal, leaving.signal]);
  const batches = subscribe(ended)[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<Batch, unknown>> | null = null;
  let held: Held | null = null;

  function hold(batch: Batch): Held {
    return { batch, due: held?.due ?? sleep(WAIT_MS, ended).then(() => "due") };
  }

  try {
    while (true) {
      next ??= batches.next();
      const result: Awaited<typeof next> | "due" =
        held === null ? await next : await Promise.race([next, held.due]);
      if (result === "due") {
        if (held !== null && !ended.aborted) yield held.batch;
        held = null;
        continue;
      }
      next = null;
      if (result.done) return;
      const batch: Batch = result.value;
      held = batch.events.length === 0 ? hold(batch) : null;
      if (held === null) yield batch;
    }
  } finally {
    leaving.abort();
    // What it still waits for ends with the signal, and has no use for its failure.
    next?.catch(() => undefined);
    await batches.return?.();
  }
}
