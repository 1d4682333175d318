import { createSecretKey } from "node:crypto";
import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { readPersonalKey } from "./credentials.ts";
import { decryptPersonal, encryptPersonal } from "./personal-data.ts";

/** A user's key; keys of different users are independent. */
export type KeyOwner = { readonly userId: string; readonly key: string };

/** An answer as it was sent. */
export type StoredAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text; null when it was too large to store, or the user in it was deleted. */
  readonly body: string | null;
};

/** An answer to store, no longer than the user whose data its body contains. */
export type AnswerToKeep = StoredAnswer & { readonly about: string };

const Present = z.object({
  sameRequest: z.boolean(),
  commandId: z.string(),
  worker: z.string().nullable(),
  status: z.int().nullable(),
  headers: z.record(z.string(), z.string()).nullable(),
  body: z.string().nullable(),
});

const Kept = Present.extend({ bodyKey: z.instanceof(Buffer).nullable() });

/** How long an answer is replayed. */
const LIFETIME = sql.fragment`interval '24 hours'`;

/**
 * Claims a new or expired key for `worker`; false when the key is taken.
 * @param claim the hash has 32 bytes, the command's id is a UUID
 */
export async function claimKey(
  pool: CommonQueryMethods,
  { userId, key }: KeyOwner,
  claim: { readonly requestHash: Buffer; readonly commandId: string; readonly worker: string },
): Promise<boolean> {
  const { requestHash, commandId, worker } = claim;
  const { rowCount } = await pool.query(sql.unsafe`
    insert into vault.idempotency_keys as present (user_id, key, request_hash, command_id, worker)
    values (${userId}, ${key}, ${sql.binary(requestHash)}, ${commandId}::uuid, ${worker})
    on conflict (user_id, key) do update
      set request_hash = excluded.request_hash, command_id = excluded.command_id,
        worker = excluded.worker, created_at = excluded.created_at,
        status = null, headers = null, body = null, about = null
      where present.created_at < now() - ${LIFETIME}`);
  return rowCount === 1;
}

/** The state of a key, and whether it belongs to the same request; null when it is gone. */
export async function readKey(
  pool: CommonQueryMethods,
  { userId, key }: KeyOwner,
  requestHash: Buffer,
): Promise<z.infer<typeof Present> | null> {
  const row = await pool.maybeOne(sql.type(Kept)`
    select i.request_hash = ${sql.binary(requestHash)} as "sameRequest",
      i.command_id as "commandId", i.worker, i.status, i.headers, i.body, k.key as "bodyKey"
    from vault.idempotency_keys i left join vault.user_keys k on k.user_id = i.about
    where i.user_id = ${userId} and i.key = ${key}`);
  if (row === null) return null;
  const { bodyKey, body, ...present } = row;
  // Old answers without a key are not encrypted.
  const isEncrypted = body !== null && bodyKey !== null;
  return { ...present, body: isEncrypted ? decryptPersonal(createSecretKey(bodyKey), body) : body };
}

/** Takes an unanswered request over from the dead worker `from`; of two calls one succeeds. */
export async function takeOverKey(
  pool: CommonQueryMethods,
  { userId, key }: KeyOwner,
  { from, to }: { from: string | null; to: string },
): Promise<boolean> {
  const { rowCount } = await pool.query(sql.unsafe`
    update vault.idempotency_keys set worker = ${to}
    where user_id = ${userId} and key = ${key} and status is null
      and worker is not distinct from ${from}::text`);
  return rowCount === 1;
}

/** Stores the answer of a request that `worker` ran, encrypted, since it may name people. */
export async function keepAnswer(
  pool: CommonQueryMethods,
  { userId, key }: KeyOwner,
  worker: string,
  { status, headers, body, about }: AnswerToKeep,
): Promise<void> {
  const bodyKey = body === null ? null : await readPersonalKey(pool, about);
  const encrypted = body !== null && bodyKey !== null ? encryptPersonal(bodyKey, body) : null;
  await pool.query(sql.unsafe`
    update vault.idempotency_keys
    set worker = null, status = ${status}, headers = ${JSON.stringify(headers)}::json,
      body = ${encrypted}, about = ${encrypted === null ? null : about}
    where user_id = ${userId} and key = ${key} and status is null and worker = ${worker}`);
}

/** Lets the request run again, as the same command. */
export async function freeKey(pool: CommonQueryMethods, { userId, key }: KeyOwner, worker: string) {
  await pool.query(sql.unsafe`
    update vault.idempotency_keys set worker = null
    where user_id = ${userId} and key = ${key} and status is null and worker = ${worker}`);
}

export async function deleteExpiredKeys(pool: CommonQueryMethods): Promise<void> {
  await pool.query(sql.unsafe`
    delete from vault.idempotency_keys where created_at < now() - ${LIFETIME}`);
}
