import { pipeline } from "node:stream/promises";
import { from as copyFrom } from "pg-copy-streams";
import { sql } from "slonik";
import { eventId, eventIdAt, eventIdPrefix } from "#contracts/seismic-event/event-id.ts";
import type { SourceEvent } from "#contracts/seismic-event/seismic-event.ts";
import { type Chunk, type ChunkRows, decodeChunk } from "#infra/event-log/chunk-codec.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import { binaryCopyStream } from "#infra/postgres/copy/binary-copy.ts";
import { int4Field, sameInEveryRow } from "#infra/postgres/copy/copy-fields.ts";
import { countedUuidField, uuidField } from "#infra/postgres/copy/uuid-fields.ts";
import type { Transaction } from "../engine/projection.ts";
import { copySeismicEvents, type RowSource } from "./copy-seismic-events.ts";
import { countApplied, type OpenRevision, openRevisionOf } from "./open-revision.ts";

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

/** An event of a source, and the event of the merged catalogue that it is a member of. */
type Pair = { readonly member: string; readonly event: string };

/** Rows of the table merge_members of a revision's chunks: none where no event was merged. */
async function insertMergeMembers(
  transaction: Transaction,
  catalogueId: string,
  open: OpenRevision,
  chunks: readonly Chunk[],
): Promise<void> {
  const prefix = eventIdPrefix(catalogueId, open.revision);
  const added: Pair[] = [];
  const known: Pair[] = [];
  for (const { firstIndex, added: ofAdded, restored, updated } of chunks) {
    addPairs(added, ofAdded, (row) => eventIdAt(prefix, firstIndex + row));
    for (const rows of [restored, updated]) addPairs(known, rows, (row) => rows.ids[row] ?? "");
  }
  // Nobody has been a member of an event that is new.
  await copyPairs(transaction, open, added);
  await insertPairs(transaction, open, known);
}

function addPairs(pairs: Pair[], { columns }: ChunkRows, idOf: (row: number) => string): void {
  const { source_events: all } = columns;
  if (all === undefined) return;
  for (const [row, members] of all.entries()) {
    if (members === null) continue;
    const event = idOf(row);
    const ids = new Set((members as readonly SourceEvent[]).map(({ event_id: id }) => id));
    for (const member of ids) pairs.push({ member, event });
  }
}

async function copyPairs(
  { client }: Transaction,
  { key, revision }: OpenRevision,
  pairs: readonly Pair[],
): Promise<void> {
  if (pairs.length === 0) return;
  const fields = [
    uuidField(pairs.map(({ member }) => member)),
    sameInEveryRow(int4Field([key])),
    uuidField(pairs.map(({ event }) => event)),
    sameInEveryRow(int4Field([revision])),
  ];
  const copy = client.query(
    copyFrom(
      "copy merge_members (member, catalogue_key, event_id, revision) from stdin (format binary)",
    ),
  );
  await pipeline(binaryCopyStream([{ length: pairs.length, fields }]), copy);
}

async function insertPairs(
  transaction: Transaction,
  { key, revision }: OpenRevision,
  pairs: readonly Pair[],
): Promise<void> {
  if (pairs.length === 0) return;
  const column = (name: keyof Pair) =>
    sql.array(
      pairs.map((pair) => pair[name]),
      "uuid",
    );
  await transaction.run(sql.unsafe`
    insert into merge_members (member, catalogue_key, event_id, revision)
    select pair.member, ${key}, pair.event, ${revision}
    from unnest(${column("member")}, ${column("event")}) pair(member, event)
    on conflict do nothing`);
}
