import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import type { ClaimedNotification } from "./claim-notification.ts";

type Claim = Pick<ClaimedNotification, "id" | "attempts">;

/** The outcome of an attempt. `error` and `reason` are sentences without personal data or secrets. */
export type Settlement =
  | { readonly status: "delivered" }
  | { readonly status: "dropped"; readonly reason: string }
  | { readonly status: "parked"; readonly error: string }
  | { readonly status: "pending"; readonly error: string; readonly nextAttemptAt: Date };

/** Records an attempt's outcome, unless the claim has passed to another worker. */
export async function settleNotification(
  pool: CommonQueryMethods,
  claim: Claim,
  settlement: Settlement,
  at: Date,
): Promise<void> {
  const nextAttemptAt = settlement.status === "pending" ? settlement.nextAttemptAt : at;
  await pool.query(sql.unsafe`
    update notifications.notifications
    set status = ${settlement.status}, last_error = ${lastErrorOf(settlement)},
      next_attempt_at = ${nextAttemptAt.toISOString()}::timestamptz,
      updated_at = ${at.toISOString()}::timestamptz
    where ${stillHeld(claim)}`);
}

function lastErrorOf(settlement: Settlement): string | null {
  switch (settlement.status) {
    case "delivered":
      return null;
    case "dropped":
      return settlement.reason;
    case "parked":
    case "pending":
      return settlement.error;
    default: {
      const unknown: never = settlement;
      throw new Error(`unknown settlement: ${JSON.stringify(unknown)}`);
    }
  }
}

/** True while the claim is of the latest attempt and not yet settled. */
export function stillHeld({ id, attempts }: Claim): FragmentSqlToken {
  return sql.fragment`id = ${id}::uuid and attempts = ${attempts} and status = 'pending'`;
}
