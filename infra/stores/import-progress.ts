import type { Logger } from "pino";
import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { ImportTally } from "#contracts/events/imports.ts";
import { repeat } from "../kernel/waiting.ts";

const KEEP_MS = 1_000;

/** Progress of running imports; each catalogue has one at a time. */
export function createImportProgressStore(pool: CommonQueryMethods) {
  return {
    keep: async (catalogueId: string, revision: number, tally: ImportTally): Promise<void> => {
      await pool.query(sql.unsafe`
        with ended as (
          delete from operations.import_progress
          where catalogue_id = ${catalogueId} and revision < ${revision})
        insert into operations.import_progress (catalogue_id, revision, tally)
        values (${catalogueId}, ${revision}, ${JSON.stringify(tally)}::json)
        on conflict (catalogue_id, revision)
          do update set tally = excluded.tally, updated_at = clock_timestamp()`);
    },
    /** Null without stored progress. */
    find: async (catalogueId: string, revision: number): Promise<ImportTally | null> => {
      const row = await pool.maybeOne(sql.type(z.object({ tally: ImportTally }))`
        select tally from operations.import_progress
        where catalogue_id = ${catalogueId} and revision = ${revision}`);
      return row?.tally ?? null;
    },
    remove: async (catalogueId: string, revision: number): Promise<void> => {
      await pool.query(sql.unsafe`
        delete from operations.import_progress
        where catalogue_id = ${catalogueId} and revision = ${revision}`);
    },
  };
}

/** Stores an import's progress about every second, until closed, so that it survives a crash. */
export function keepProgress(
  keep: (tally: ImportTally) => Promise<unknown>,
  latest: () => ImportTally,
  logger: Pick<Logger, "warn">,
) {
  let stored = latest();
  const keepNews = async (): Promise<void> => {
    const tally = latest();
    if (tally === stored) return;
    stored = tally;
    await keep(tally);
  };
  return repeat(KEEP_MS, keepNews, (error) =>
    logger.warn({ err: error }, "the progress of an import cannot be kept"),
  );
}
