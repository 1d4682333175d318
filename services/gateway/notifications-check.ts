import type { CommonQueryMethods } from "slonik";
import { notificationCounts } from "#infra/notifications/notification-queries.ts";
import type { Check } from "./readiness.ts";

export type NotificationsCheckDeps = {
  readonly pool: CommonQueryMethods;
  /** How the parts of this process that deliver stand with the broker. */
  readonly deliveryStates: () => Readonly<Record<string, string>>;
};

/**
 * Tells how delivery stands. Always healthy: what waits is kept, and requests do not wait for it.
 */
export function notificationsCheck({ pool, deliveryStates }: NotificationsCheckDeps): Check {
  return async () => {
    const states = Object.entries(deliveryStates()).map(([part, state]) => `${part}: ${state}`);
    return { status: "healthy", message: [...states, await queue(pool)].join("; ") };
  };
}

async function queue(pool: CommonQueryMethods): Promise<string> {
  try {
    const { pending, parked } = await notificationCounts(pool);
    return `${pending} pending, ${parked} parked`;
  } catch {
    return "the queue cannot be read";
  }
}
