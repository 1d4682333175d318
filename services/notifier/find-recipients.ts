import type { DatabasePool } from "slonik";
import type { UserDetails } from "#contracts/http/accounts.ts";
import type { NotifiedEvent } from "#contracts/notifications/notice.ts";
import { listActiveAdministratorIds } from "#projections/queries/user-queries.ts";
import { findUndeleted } from "./find-undeleted.ts";

/** The recipients of an event's notifications: one user, or several, each with a notification. */
export type Recipients =
  | { readonly kind: "one"; readonly userId: string }
  | { readonly kind: "each"; readonly userIds: readonly string[] };

export async function findRecipients(
  pool: DatabasePool,
  event: NotifiedEvent,
): Promise<Recipients> {
  switch (event.type) {
    case "PasswordResetRequested":
    case "RoleRequestReviewed":
      return { kind: "one", userId: event.data.userId };
    case "RoleRequestSubmitted":
      return { kind: "each", userIds: await listActiveAdministratorIds(pool) };
    default: {
      const unknown: never = event;
      throw new Error(`unknown event: ${JSON.stringify(unknown)}`);
    }
  }
}

/** The recipient's present data, or why there is no recipient any more. */
export type CurrentRecipient =
  | { readonly kind: "recipient"; readonly user: UserDetails }
  | { readonly kind: "gone"; readonly reason: string };

export async function currentRecipient(
  pool: DatabasePool,
  event: NotifiedEvent,
  userId: string,
): Promise<CurrentRecipient> {
  const user = await findUndeleted(pool, userId);
  if (user === null) return { kind: "gone", reason: "the recipient was deleted" };
  if (!user.is_active) return { kind: "gone", reason: "the recipient is deactivated" };
  if (event.type === "RoleRequestSubmitted" && user.role !== "admin") {
    return { kind: "gone", reason: "the recipient is no administrator any more" };
  }
  return { kind: "recipient", user };
}
