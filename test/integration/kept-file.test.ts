import { randomBytes, randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { type DatabasePool, sql } from "slonik";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Refusal } from "#contracts/errors.ts";
import { createDatabase } from "#infra/postgres/pool.ts";
import { keepFile } from "#services/uploads/handlers.ts";
import { useDatabase } from "../support/database.ts";

const database = useDatabase();
let pool: DatabasePool;
beforeAll(async () => {
  pool = await createDatabase(database.url, { applicationName: "test" });
});
afterAll(() => pool.end());

const MIB = 1024 * 1024;

test("a file that is discarded while it is written leaves nothing, and is no fault of the service", async () => {
  for (const turns of [0, 1, 5, 20, 50, 100]) {
    const keeper = await keepFile(pool, randomUUID(), "user_1_a");
    const write = async () => {
      for (let i = 0; i < 50; i += 1) await keeper.write(randomBytes(MIB));
    };
    const writing = write().catch((error: unknown) => error);
    for (let i = 0; i < turns; i += 1) await setImmediate();
    await keeper.discard();
    expect(await writing).toBeInstanceOf(Refusal);
    const { rows } = await pool.query(sql.unsafe`select id from operations.kept_uploads`);
    expect(rows).toEqual([]);
  }
});
