import { createBackoff, sleep } from "../kernel/backoff.ts";
import type { Log } from "../kernel/log.ts";
import { isDiskFull, isTransient } from "./failures.ts";
import { NoPrimary } from "./primary-client.ts";

/** On a busy machine, or beside a server that is starting itself, a connection takes its time. */
const PATIENCE_MS = 60_000;

/**
 * Repeats a step of a start until the database answers, for a minute.
 * @throws the last error; at once one that no wait heals: a wrong password, a full disk, a standby
 */
export async function untilReached<T>(
  step: () => Promise<T>,
  { log, signal }: { readonly log: Log; readonly signal: AbortSignal },
): Promise<T> {
  const endsAt = performance.now() + PATIENCE_MS;
  const backoff = createBackoff({ capMs: 2_000 });
  for (;;) {
    try {
      return await step();
    } catch (error) {
      const heals = isTransient(error) && !isDiskFull(error) && !(error instanceof NoPrimary);
      if (!heals || signal.aborted || performance.now() > endsAt) throw error;
      log.warn({ err: error }, "the database does not answer yet: it is tried again");
      await sleep(backoff.next(), signal);
    }
  }
}
