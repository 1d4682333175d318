import { sql } from "slonik";
import { z } from "zod";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import type { Transaction } from "../engine/projection.ts";

/** A revision that is being written; `key` is the catalogue's in the read model. */
export type OpenRevision = { readonly key: number; readonly revision: number };

const OpenRow = z.object({ key: z.int(), open_revision: z.int().nullable() });

/**
 * The revision of chunks or frames, by the number at the end of their stream's name. Null where it is
 * not open: they come from a worker that lost its revision.
 */
export async function openRevisionOf(
  transaction: Transaction,
  catalogueId: string,
  [first]: readonly RecordedEvent[],
): Promise<OpenRevision | null> {
  const revision = Number(first?.stream.split("-").at(-1));
  const row = await transaction.maybeOne(sql.type(OpenRow)`
    select key, open_revision from catalogues where id = ${catalogueId}`);
  return row?.open_revision === revision ? { key: row.key, revision } : null;
}

/** Counts applied chunks or frames, for the check at the commit. */
export async function countApplied(
  transaction: Transaction,
  { key }: OpenRevision,
  events: readonly RecordedEvent[],
): Promise<void> {
  await transaction.run(sql.unsafe`
    update catalogues set open_chunks = open_chunks + ${events.length} where key = ${key}`);
}
