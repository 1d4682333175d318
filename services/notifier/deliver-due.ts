import {
  type ClaimedNotification,
  claimNotification,
  type Settlement,
  settleNotification,
} from "#infra/brokers/notifications.ts";
import { WebhookFailure } from "#infra/brokers/webhook.ts";
import { backoffMs, sleep } from "#infra/kernel/waiting.ts";
import { Unavailable } from "#infra/log/event-log.ts";
import { isTransient } from "#infra/postgres/failures.ts";
import { type AttemptDeps, attemptDelivery } from "./attempt-delivery.ts";

/** Failures after which a notification is parked. */
export const MAX_ATTEMPTS = 8;
const SECOND = 1_000;
/** Back-off from half a minute up to an hour: eight attempts take half an hour to an hour. */
const RETRY = { firstMs: 30 * SECOND, maxMs: 3_600 * SECOND };
/** Well above all time-outs within an attempt. */
const CLAIM_MS = 60 * SECOND;
/** Concurrent deliveries, in case of a slow webhook. */
const PARALLEL = 4;
const SETTLE_TRIES = 5;

/** Delivers everything due, until nothing is left or `signal` aborts; started deliveries are finished. */
export async function deliverDue(deps: AttemptDeps, signal: AbortSignal): Promise<void> {
  if (signal.aborted || !(await deliverNext(deps))) return;
  const workers = Array.from({ length: PARALLEL }, async () => {
    while (!signal.aborted && (await deliverNext(deps)));
  });
  // When a worker fails, the others finish their deliveries.
  const ends = await Promise.allSettled(workers);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

/** Delivers the next notification; false without one. */
async function deliverNext(deps: AttemptDeps): Promise<boolean> {
  const claimed = await claimNotification(deps.pool, deps.now(), CLAIM_MS);
  if (claimed === null) return false;
  const settlement = await settlementOf(deps, claimed);
  if (settlement !== null) await settle(deps, claimed, settlement);
  return true;
}

async function settlementOf(
  deps: AttemptDeps,
  claimed: ClaimedNotification,
): Promise<Settlement | null> {
  try {
    return await attemptDelivery(deps, claimed);
  } catch (error) {
    // Without the database nothing can be recorded; the claim expires by itself.
    if (!(error instanceof WebhookFailure) && isTransient(error)) throw error;
    return failed(deps, claimed, error);
  }
}

function failed(
  { now, logger }: AttemptDeps,
  claimed: ClaimedNotification,
  cause: unknown,
): Settlement {
  const { id, type, attempts } = claimed;
  const error = describe(cause);
  const fields = { err: cause, notification: id, type, attempts };
  // An unreachable log is not the notification's fault, so the notification waits any time for it.
  if (attempts >= MAX_ATTEMPTS && !(cause instanceof Unavailable)) {
    logger.error(fields, "notification parked");
    return { status: "parked", error };
  }
  logger.warn(fields, "notification not delivered");
  const ownMs = backoffMs(attempts - 1, RETRY.firstMs, RETRY.maxMs);
  // Never sooner than our own back-off: otherwise eight attempts at a webhook that asks for seconds
  // would be over within seconds.
  const askedMs = cause instanceof WebhookFailure ? cause.retryAfterMs : null;
  const delayMs = Math.max(ownMs, askedMs ?? 0);
  return { status: "pending", error, nextAttemptAt: new Date(now().getTime() + delayMs) };
}

/** The reason for administrators, without our own faults, which are only in the log. */
function describe(error: unknown): string {
  if (error instanceof WebhookFailure) return error.message;
  return `it could not be prepared (${error instanceof Error ? error.name : "unknown fault"})`;
}

/** Retries for some seconds: an unrecorded delivery is repeated. */
async function settle(
  { pool, now }: AttemptDeps,
  claimed: ClaimedNotification,
  settlement: Settlement,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await settleNotification(pool, claimed, settlement, now());
    } catch (error) {
      if (!isTransient(error) || attempt === SETTLE_TRIES) throw error;
      await sleep(backoffMs(attempt, 100, 2 * SECOND), new AbortController().signal);
    }
  }
}
