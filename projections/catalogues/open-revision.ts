import { sql } from "slonik";
import { z } from "zod";
import type { CatalogueEventData } from "#contracts/domain-events/catalogue-events.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import { NotUndone, undoGivenUp } from "../engine/left-rows.ts";
import type { Transaction } from "../engine/projection.ts";
import { KEYED_TABLES } from "./keyed-tables.ts";

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

/** Fewer rows of a table are undone with the event, more of them bit by bit afterwards. */
const UNDONE_AT_ONCE = 1_000;

const Key = z.object({ key: z.int() });

/** Gives up the open revision: what it has written goes, and what it has ended has not ended. */
export async function giveUp(
  transaction: Transaction,
  { catalogueId, revision }: CatalogueEventData<"RevisionAbandoned">,
): Promise<void> {
  const given = await transaction.maybeOne(sql.type(Key)`
    insert into abandoned_revisions (catalogue_key, revision)
    select key, open_revision from catalogues
    where id = ${catalogueId} and open_revision = ${revision} and open_chunks > 0
    returning catalogue_key as key`);
  if (given === null) return;
  const extent = { ...given, most: UNDONE_AT_ONCE };
  await undoGivenUp((work) => work(transaction), KEYED_TABLES, extent);
}

/**
 * A revision is written on the rows of the one before: not while rows of one that was given up are among them.
 * @throws NotUndone
 */
export async function requireUndone(
  transaction: Transaction,
  { catalogueId }: CatalogueEventData<"RevisionOpened">,
  event: RecordedEvent,
): Promise<void> {
  const left = await transaction.maybeOne(sql.prepared("given_up", Key)`
    select key from catalogues where id = ${catalogueId}
      and exists (select from abandoned_revisions where catalogue_key = key)`);
  if (left !== null) throw new NotUndone(event, left.key);
}
