import { setTimeout as delay } from "node:timers/promises";
import type { BackgroundOperation } from "#contracts/http/background-operations.ts";

const LOOK_MS = 250;

/**
 * An operation each time it is looked at, until it has ended or the signal aborts: it may run in
 * another process, so the store is what tells.
 * @param look null when it is not there any more
 */
export async function* operationChanges(
  look: () => Promise<BackgroundOperation | null>,
  signal: AbortSignal,
): AsyncGenerator<BackgroundOperation> {
  while (!signal.aborted) {
    const operation = await look();
    if (operation === null) return;
    yield operation;
    if (operation.status !== "running") return;
    await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}
