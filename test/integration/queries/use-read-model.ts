import type { Pool } from "pg";
import type { DatabasePool } from "slonik";
import { afterAll, beforeAll } from "vitest";
import { createDatabase, createPgPool } from "#infra/postgres/pool.ts";
import { type EventReads, openEventReads } from "#projections/read/walk.ts";
import { useDatabase } from "../../support/database.ts";
import { lazily } from "../../support/lazily.ts";
import { silentLogger } from "../../support/logger.ts";
import { type ApiReads, createApiReads } from "./api-reads.ts";

export type ReadModel = {
  /** What the service reads with. */
  readonly pool: DatabasePool;
  /** What the tests write with. */
  readonly writer: Pool;
  readonly reads: EventReads;
  readonly api: ApiReads;
};

/** An empty read model, to be filled by `createModelCatalogue`. */
export function useReadModel(): ReadModel {
  const database = useDatabase();
  let opened: ReadModel | undefined;
  let closeReads = async (): Promise<void> => undefined;
  beforeAll(async () => {
    const pool = await createDatabase(database.url, { applicationName: "test reads" });
    const writer = createPgPool(database.url, { applicationName: "test writes" });
    const reads = openEventReads(database.url, silentLogger());
    closeReads = reads.close;
    opened = { pool, writer, reads, api: createApiReads(pool, reads) };
  });
  afterAll(async () => {
    await closeReads();
    await opened?.writer.end();
    await opened?.pool.end();
  });
  return lazily(() => opened);
}
