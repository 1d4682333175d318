import { createSecretKey } from "node:crypto";
import { sql } from "slonik";
import { z } from "zod";
import { decryptPersonal } from "#infra/security/personal-data.ts";
import type { Transaction } from "../engine/projection.ts";

/** Replaces personal data whose key was destroyed; a deletion follows in the log. */
const FORGOTTEN = "[deleted]";

const KeyRow = z.object({ key: z.instanceof(Buffer) });

/** Returns a function that decrypts a user's texts, even after the key was destroyed. */
export async function decrypter(
  transaction: Transaction,
  userId: string,
): Promise<(encrypted: string) => string> {
  const row = await transaction.maybeOne(sql.prepared("user_key", KeyRow)`
    select key from vault.user_keys where user_id = ${userId}`);
  if (row === null) return () => FORGOTTEN;
  const key = createSecretKey(row.key);
  return (encrypted) => decryptPersonal(key, encrypted);
}
