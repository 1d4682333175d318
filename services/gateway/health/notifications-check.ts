import type { CommonQueryMethods } from "slonik";
import { notificationCounts } from "#infra/notifications/notification-queries.ts";
import type { WaitingNotices } from "#infra/notifications/waiting-notices.ts";
import type { Check } from "./readiness.ts";

type NotificationsCheckDeps = {
  readonly pool: CommonQueryMethods;
  /** States of this process's parts of delivery. */
  readonly deliveryStates: () => Readonly<Record<string, string>>;
  /** Notices that the broker has not received yet; null without a broker. */
  readonly waitingNotices: (() => Promise<WaitingNotices>) | null;
};

/**
 * Reports the state of delivery. Always healthy: waiting notices are stored, and requests do not
 * wait for them.
 */
export function notificationsCheck(deps: NotificationsCheckDeps): Check {
  const { pool, deliveryStates, waitingNotices } = deps;
  return async () => {
    const states = Object.entries(deliveryStates());
    // A notifier has no connection either until the publisher has made the broker ready.
    const isReached = states.some(([, state]) => state.startsWith("not ready"));
    const isAway = !isReached && states.some(([, state]) => state === "disconnected");
    const message = [
      ...states.map(([part, state]) => `${part}: ${state}`),
      ...(waitingNotices === null ? [] : await broker(waitingNotices, isAway)),
      await queue(pool),
    ].join("; ");
    return { status: "healthy", message };
  };
}

async function broker(
  waitingNotices: () => Promise<WaitingNotices>,
  isAway: boolean,
): Promise<string[]> {
  const waiting = await waitingNotices().then(sentenceOf, () => null);
  if (isAway) return [["the broker cannot be reached", ...(waiting ? [waiting] : [])].join(", ")];
  return waiting === null ? [] : [waiting];
}

/** Null when there is nothing to report. */
function sentenceOf({ count, isAll }: WaitingNotices): string | null {
  if (count === 0) return null;
  const number = isAll ? `${count}` : `at least ${count}`;
  return `${number} ${count === 1 ? "notice waits" : "notices wait"} for the broker`;
}

async function queue(pool: CommonQueryMethods): Promise<string> {
  try {
    const { pending, parked } = await notificationCounts(pool);
    return `${pending} pending, ${parked} parked`;
  } catch {
    return "the queue cannot be read";
  }
}
