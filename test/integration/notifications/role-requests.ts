import { randomUUID } from "node:crypto";
import type { NotifiedEvent } from "#contracts/notifications/notice.ts";
import { encryptPersonal } from "#infra/security/personal-data.ts";
import { readPersonalKey } from "#infra/security/vault/credentials.ts";
import type { Accounts } from "../accounts/use-accounts.ts";

export const JUSTIFICATION = "I look after\nthe Kermadec catalogue.";
export const NOTES = "As agreed.";

type Of<T extends NotifiedEvent["type"]> = Extract<NotifiedEvent, { type: T }>;

/** A viewer's request to become editor. */
export async function submission(
  accounts: Accounts,
  userId: string,
): Promise<Of<"RoleRequestSubmitted">> {
  return {
    type: "RoleRequestSubmitted",
    data: {
      userId,
      roleRequestId: randomUUID(),
      currentRole: "viewer",
      requestedRole: "editor",
      justificationEncrypted: await encryptFor(accounts, userId, JUSTIFICATION),
    },
  };
}

export async function review(
  accounts: Accounts,
  { data: { userId, roleRequestId } }: Of<"RoleRequestSubmitted">,
  status: "approved" | "rejected",
): Promise<Of<"RoleRequestReviewed">> {
  const adminNotesEncrypted = await encryptFor(accounts, userId, NOTES);
  const data = { userId, roleRequestId, status, reviewedBy: "user_1_admin", adminNotesEncrypted };
  return { type: "RoleRequestReviewed", data };
}

async function encryptFor({ pool }: Accounts, userId: string, text: string): Promise<string> {
  const key = await readPersonalKey(pool, userId);
  if (key === null) throw new Error("the user has no key");
  return encryptPersonal(key, text);
}
