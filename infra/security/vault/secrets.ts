import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";

const SECRET_BYTES = 32;

const Secret = z.object({ value: z.instanceof(Buffer) });

/** The key for pseudonyms of email addresses in the log (see email-hmac), created when missing. */
export async function emailKey(pool: CommonQueryMethods): Promise<KeyObject> {
  return createSecretKey(await keptSecret(pool, "email-hmac"));
}

/** The stored secret, created when missing; concurrent processes get the same. */
async function keptSecret(pool: CommonQueryMethods, name: string): Promise<Buffer> {
  await pool.query(sql.unsafe`
    insert into vault.secrets (name, value)
    values (${name}, ${sql.binary(randomBytes(SECRET_BYTES))})
    on conflict do nothing`);
  const { value } = await pool.one(sql.type(Secret)`
    select value from vault.secrets where name = ${name}`);
  return value;
}
