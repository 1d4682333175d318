import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { catalogueStream } from "#contracts/names.ts";
import { createPostgresEventLog } from "#infra/event-log/postgres/postgres-event-log.ts";
import { migrate } from "#infra/postgres/migrations/migrate.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import { cataloguesProjection } from "#projections/catalogues/catalogues-projection.ts";
import { holds, verifyProjection } from "#projections/rebuild/verify-projection.ts";
import { createTestDatabase } from "../../support/database.ts";
import { withClient } from "../../support/database-template.ts";
import { migrationsUpTo } from "../../support/migrations-up-to.ts";
import { createOlderInstallation } from "../../support/older-installation.ts";

test.each(["0012"])(
  "read models of an installation with %s migrations are what the log says after all others",
  async (migrations) => {
    const database = await createOlderInstallation(migrations);
    await migrate(database.url);
    const log = await createPostgresEventLog(database.url);
    const pool = createPgPool(database.url, { applicationName: "verify", statementTimeoutMs: 0 });
    const { rows: catalogues } = await pool.query(
      "select name, public_from, merge_config->>'linkage' as linkage from read_model.catalogues order by key",
    );
    const { signal } = new AbortController();
    const verification = await verifyProjection({ log, pool, signal }, cataloguesProjection);
    await pool.end();
    await log.close();
    await database.drop();
    expect(verification.tables.flatMap(({ differences }) => differences)).toEqual([]);
    expect(verification.tables[0]?.live.rows).toBe(5);
    expect(holds(verification)).toBe(true);
    // What guests could read they go on reading, and merges are told as they were done.
    expect(catalogues).toEqual([
      { name: "public from the start", public_from: 1, linkage: null },
      { name: "made public", public_from: 1, linkage: null },
      { name: "private again", public_from: null, linkage: null },
      { name: "private", public_from: null, linkage: null },
      { name: "merged", public_from: null, linkage: "complete" },
    ]);
  },
);

test("shares of an installation with 0054 migrations are told of whoever made them", async () => {
  const database = await createTestDatabase({ empty: true });
  await migrate(database.url, { directory: await migrationsUpTo("0054") });
  const [catalogue, share] = [randomUUID(), randomUUID()];
  const [made] = await withClient(database.url, async (client) => {
    await client.query(
      `insert into event_log.events (stream, revision, event_id, type, data, metadata, bytes)
       values ($1, 0, $2, 'CatalogueShared', $3, '{"actor": "user_1_maker"}', 1)`,
      [catalogueStream(catalogue), randomUUID(), JSON.stringify({ shareId: share })],
    );
    await client.query(
      `insert into read_model.shares (id, catalogue_id, secret_hash, created_at)
       values ($1, $2, 'hash', now())`,
      [share, catalogue],
    );
    await migrate(database.url);
    return (await client.query("select made_by from read_model.shares")).rows;
  });
  await database.drop();
  expect(made).toEqual({ made_by: "user_1_maker" });
});
