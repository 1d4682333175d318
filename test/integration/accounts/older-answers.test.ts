import { createSecretKey, randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { migrate } from "#infra/postgres/migrations/migrate.ts";
import { createDatabase } from "#infra/postgres/pool.ts";
import { storeCredentials } from "#infra/security/vault/credentials.ts";
import { readKey } from "#infra/security/vault/idempotency-keys.ts";
import { createTestDatabase } from "../../support/database.ts";
import { withClient } from "../../support/database-template.ts";
import { migrationsUpTo } from "../../support/migrations-up-to.ts";

test("answers that an older installation kept in clear are replayed where they name nobody", async () => {
  const database = await createTestDatabase({ empty: true });
  await migrate(database.url, { directory: await migrationsUpTo("0014") });
  const pool = await createDatabase(database.url, { applicationName: "older-answers" });
  const userId = "user_1_abc";
  const personalKey = createSecretKey(randomBytes(32));
  await storeCredentials(pool, { userId, personalKey, passwordHash: "", at: new Date() });
  const hash = randomBytes(32);
  const keep = (key: string, body: unknown) =>
    withClient(database.url, (db) =>
      db.query(
        `insert into vault.idempotency_keys
           (user_id, key, request_hash, command_id, status, headers, body)
         values ($1, $2, $3, $4, 200, '{}', $5)`,
        [userId, key, hash, randomUUID(), JSON.stringify(body)],
      ),
    );
  const user = { id: userId, email: "ana@example.org", name: "Ana" };
  await keep("user", { user });
  await keep("request", { request: { user_email: user.email } });
  await keep("catalogue", { id: randomUUID(), name: "user" });
  await migrate(database.url);
  const read = async (key: string) => (await readKey(pool, { userId, key }, hash))?.body ?? null;
  expect(await read("user")).toBeNull();
  expect(await read("request")).toBeNull();
  expect(await read("catalogue")).toContain('"name":"user"');
  await pool.end();
  await database.drop();
});
