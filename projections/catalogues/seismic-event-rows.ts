import { sql } from "slonik";
import { eventId } from "#contracts/seismic-event/event-id.ts";
import { type Chunk, decodeChunk } from "#infra/event-log/chunk-codec.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import { countedUuidField, uuidField } from "#infra/postgres/copy/uuid-fields.ts";
import type { Transaction } from "../engine/projection.ts";
import { copySeismicEvents, type RowSource } from "./copy-seismic-events.ts";
import { insertMergeMembers } from "./merge-member-rows.ts";
import { countApplied, openRevisionOf } from "./open-revision.ts";

/**
 * Applies chunks of one revision, in order. Its rows are invisible until the revision is committed.
 * Chunks of a revision that is not open come from a worker that lost its revision, and change
 * nothing.
 */
export async function applyChunks(
  transaction: Transaction,
  catalogueId: string,
  events: readonly RecordedEvent[],
): Promise<void> {
  const open = await openRevisionOf(transaction, catalogueId, events);
  if (open === null) return;
  const { key, revision } = open;
  const chunks = events.map(({ data }) => decodeChunk(data as Uint8Array));
  await copySeismicEvents(transaction, key, revision, rowSources(catalogueId, revision, chunks));
  const superseded = chunks.flatMap(({ updated, removed }) => [...updated.ids, ...removed]);
  await supersede(transaction, key, revision, superseded);
  await insertMergeMembers(transaction, catalogueId, open, chunks);
  await countApplied(transaction, open, events);
}

/** Ends the rows that the revision changes or removes; its own rows are there already. */
async function supersede(
  transaction: Transaction,
  key: number,
  revision: number,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const ended = await transaction.run(sql.unsafe`
    update seismic_events set revision_to = ${revision}
    where catalogue_key = ${key} and event_id = any(${sql.array([...ids], "uuid")})
      and revision_to is null and revision_from < ${revision}`);
  if (ended !== ids.length) {
    throw new Error(`revision ${revision} changes events that its catalogue does not have`);
  }
}

/** The rows of chunks, one after the other. */
function* rowSources(
  catalogueId: string,
  revision: number,
  chunks: readonly Chunk[],
): Generator<RowSource> {
  for (const { firstIndex, added, restored, updated } of chunks) {
    // Ids within a revision are consecutive (contracts/seismic-event/event-id.ts).
    yield { events: added, ids: countedUuidField(eventId(catalogueId, revision, firstIndex)) };
    yield { events: restored, ids: uuidField(restored.ids) };
    yield { events: updated, ids: uuidField(updated.ids) };
  }
}
