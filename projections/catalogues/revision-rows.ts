/**
 * What a revision writes: rows of events, of members of merged events and of bulletins, none of
 * which count before its commit; then the catalogue's smallest box.
 */

import { pipeline } from "node:stream/promises";
import { from as copyFrom } from "pg-copy-streams";
import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { type BulletinReference, storedCounts } from "#contracts/bulletin/counts.ts";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import type { CatalogueEventData } from "#contracts/events/catalogues.ts";
import {
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  type AttributeKind,
  STRUCTURED_NAMES,
} from "#contracts/seismic-event/attributes.ts";
import { eventId, eventIdAt, eventIdPrefix } from "#contracts/seismic-event/ids.ts";
import type {
  EventColumns,
  RecordMember,
  SourceEvent,
} from "#contracts/seismic-event/seismic-event.ts";
import { fractionDigits, postgresMicros } from "#contracts/seismic-event/time.ts";
import { PARTS, unpackBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { type Chunk, type ChunkRows, decodeChunk, decodeFrame } from "#infra/log/chunks.ts";
import type { RecordedEvent } from "#infra/log/event-log.ts";
import {
  binaryCopyStream,
  booleanField,
  byteaField,
  type CopyBlock,
  type CopyField,
  countedUuidField,
  float8Field,
  int2Field,
  int4Field,
  int4ListField,
  jsonField,
  nullField,
  sameInEveryRow,
  textField,
  timestamptzField,
  uuidField,
} from "#infra/postgres/copy/binary-copy.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { NotUndone, undoGivenUp } from "../engine/left-rows.ts";
import type { ProjectedTable, Transaction } from "../engine/projection.ts";
import { type VersionRows, visibleAt } from "../read/versions.ts";

/** A revision that is being written; `key` is the catalogue's in the read model. */
type OpenRevision = { readonly key: number; readonly revision: number };

const OpenRow = z.object({ key: z.int(), open_revision: z.int().nullable() });

/**
 * The revision of chunks or frames, by the number at the end of their stream's name. Null where it is
 * not open: they come from a worker that lost its revision.
 */
async function openRevisionOf(
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
async function countApplied(
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
  // Before the COPY begins: a fault in a chunk would leave the connection waiting for rows.
  const rows = inOrderOfTime(key, revision, [...rowSources(catalogueId, revision, chunks)]);
  await copyInto(transaction, "seismic_events", COLUMNS, rows);
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
function* rowSources(catalogueId: string, revision: number, chunks: readonly Chunk[]) {
  for (const { firstIndex, added, restored, updated } of chunks) {
    // Ids within a revision are consecutive (contracts/seismic-event/ids.ts).
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
  const member = uuidField(added.map((pair) => pair.member));
  const events = added.map(({ event }) => event);
  await copyOfRevision(transaction, open, "merge_members", events, { member });
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

/** Rows to copy: events by column, with their ids. */
type RowSource = { readonly events: ChunkRows; readonly ids: CopyField };

const KEY_COLUMNS = ["catalogue_key", "revision_from", "event_id", "time", "time_digits"];
const BULLETIN_COLUMNS = ["bulletin_revision", "bulletin_sha256", "bulletin_counts"];
const COLUMNS = [...KEY_COLUMNS, ...ATTRIBUTE_NAMES, ...STRUCTURED_NAMES, ...BULLETIN_COLUMNS];

/**
 * The rows for COPY, with fields in the order of COLUMNS: they are sorted by origin time, so that events close in
 * time are close on disk, where pages, narrow queries and exports read them together: of 2,000,000 events a month
 * takes 11 ms, in order of arrival 118 to 172.
 */
export function inOrderOfTime(
  catalogueKey: number,
  revision: number,
  sources: readonly RowSource[],
): CopyBlock {
  const blocks = sources.map((source) => blockOf(catalogueKey, revision, source));
  const places = blocks.flatMap(({ times }, block) =>
    times.map((time, row) => ({ time: Number(time), block, row })),
  );
  places.sort((a, b) => a.time - b.time);
  const fields = COLUMNS.map(
    (_, column): CopyField =>
      (buffer, i) => {
        const { block, row } = places[i] as (typeof places)[number];
        blocks[block]?.fields[column]?.(buffer, row);
      },
  );
  return { length: places.length, fields };
}

function blockOf(catalogueKey: number, revision: number, { events, ids }: RowSource) {
  const { length, columns } = events;
  const keys = [catalogueKey, revision].map((key) => sameInEveryRow(int4Field([key])));
  const times = columns.time.map(postgresMicros);
  const fields = [
    ...keys,
    ids,
    timestamptzField(times),
    int2Field(columns.time.map(fractionDigits)),
    ...ATTRIBUTE_NAMES.map((name) => fieldOf(events, name, FIELDS[ATTRIBUTES[name].kind])),
    ...STRUCTURED_NAMES.map((name) => fieldOf(events, name, jsonField)),
    ...bulletinFields(revision, events.bulletins),
  ];
  return { length, fields, times };
}

/** In the order of BULLETIN_COLUMNS. */
function bulletinFields(
  revision: number,
  bulletins: readonly (BulletinReference | null)[] | undefined,
): CopyField[] {
  if (bulletins === undefined) return BULLETIN_COLUMNS.map(() => nullField);
  return [
    int4Field(bulletins.map((of) => of && (of.revision ?? revision))),
    byteaField(bulletins.map((of) => of && Buffer.from(of.sha256, "hex"))),
    int4ListField(bulletins.map((of) => of && storedCounts(of.counts))),
  ];
}

type FieldMaker = (values: readonly never[]) => CopyField;

const FIELDS: Readonly<Record<AttributeKind, FieldMaker>> = {
  number: float8Field,
  integer: int4Field,
  text: textField,
  enumeration: textField,
};

/** An absent column is null in every row. */
function fieldOf({ columns }: EventColumns, name: RecordMember, field: FieldMaker): CopyField {
  const values = columns[name];
  // The type of the values follows from the attribute's kind in ATTRIBUTES.
  return values === undefined ? nullField : field(values as readonly never[]);
}

/**
 * Applies frames of one revision, in order: their pieces as they are, and the magnitudes of the heads
 * that they complete. Frames of a revision that is not open change nothing.
 */
export async function applyFrames(
  transaction: Transaction,
  catalogueId: string,
  events: readonly RecordedEvent[],
): Promise<void> {
  const open = await openRevisionOf(transaction, catalogueId, events);
  if (open === null) return;
  const prefix = eventIdPrefix(catalogueId, open.revision);
  const pieces = events
    .flatMap(({ data }) => decodeFrame(data as Uint8Array))
    .map(({ at, ...piece }) => ({
      ...piece,
      id: typeof at === "number" ? eventIdAt(prefix, at) : at,
    }));
  const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
  await copyOfRevision(transaction, open, "bulletins", idsOf(pieces), {
    part: int2Field(pieces.map(({ part }) => part)),
    piece: int2Field(pieces.map(({ piece }) => piece)),
    bytes: byteaField(pieces.map(({ bytes }) => bytes)),
  });
  const magnitudes: ReturnType<typeof magnitudesOf> = [];
  for (const { id, part, piece, of, bytes } of pieces) {
    if (part !== PARTS.head || piece < of - 1) continue;
    const head = of === 1 ? [{ part, bytes }] : await headOf(transaction, open, id);
    magnitudes.push(...magnitudesOf(id, unpackBulletin(head)));
  }
  await copyOfRevision(transaction, open, "bulletin_magnitudes", idsOf(magnitudes), {
    place: int4Field(magnitudes.map(({ place }) => place)),
    value: float8Field(magnitudes.map(({ value }) => value)),
    preferred: booleanField(magnitudes.map(({ preferred }) => preferred)),
    type: textField(magnitudes.map(({ type }) => withoutNul(type))),
    agency: textField(magnitudes.map(({ agency }) => withoutNul(agency))),
  });
  await countApplied(transaction, open, events);
}

const Piece = z.object({ bytes: z.instanceof(Uint8Array) });

/** A head of several pieces, of which earlier transactions may have written the first. */
async function headOf(transaction: Transaction, { key, revision }: OpenRevision, id: string) {
  const rows = await transaction.any(sql.type(Piece)`
    select bytes from bulletins
    where catalogue_key = ${key} and event_id = ${id}::uuid and revision = ${revision}
      and part = ${PARTS.head} order by piece`);
  return rows.map(({ bytes }) => ({ part: PARTS.head, bytes }));
}

function magnitudesOf(id: string, { magnitude = [], preferredMagnitudeID }: Bulletin) {
  // Of two with the same id a reference means the first.
  const preferred = magnitude.findIndex(({ publicID }) => publicID === preferredMagnitudeID);
  return magnitude.map(({ mag, type, creationInfo }, place) => ({
    id,
    place,
    value: mag.value,
    preferred: place === preferred,
    type,
    agency: creationInfo?.agencyID,
  }));
}

/** PostgreSQL's text has no NUL. */
function withoutNul(text: string | undefined): string | undefined {
  return text?.replaceAll("\0", "");
}

/** Copies rows that a revision has of some events, one for each of the ids. @param columns the other ones */
async function copyOfRevision(
  transaction: Transaction,
  { key, revision }: OpenRevision,
  table: string,
  eventIds: readonly string[],
  columns: Readonly<Record<string, CopyField>>,
): Promise<void> {
  if (eventIds.length === 0) return;
  const names = ["catalogue_key", "revision", "event_id", ...Object.keys(columns)];
  const keys = [key, revision].map((number) => sameInEveryRow(int4Field([number])));
  const fields = [...keys, uuidField(eventIds), ...Object.values(columns)];
  await copyInto(transaction, table, names, { length: eventIds.length, fields });
}

async function copyInto(
  { client }: Transaction,
  table: string,
  columns: readonly string[],
  rows: CopyBlock,
): Promise<void> {
  const statement = `copy ${table} (${columns.join(", ")}) from stdin (format binary)`;
  await pipeline(binaryCopyStream([rows]), client.query(copyFrom(statement)));
}

const OWNER = { table: "catalogues", key: "key", by: "catalogue_key" } as const;
const GIVEN_UP = {
  table: "abandoned_revisions",
  by: "catalogue_key",
  revision: "revision",
  from: "revision",
} as const;

/** Tables with rows by a catalogue's key, of which there may be millions: they outlive it for a while. */
export const KEYED_TABLES: readonly ProjectedTable[] = [
  {
    name: "seismic_events",
    key: ["catalogue_key", "event_id", "revision_from"],
    owner: OWNER,
    givenUp: { ...GIVEN_UP, from: "revision_from", to: "revision_to" },
    foundBy: ["seismic_events_revision", "seismic_events_superseded", "seismic_events_time"],
  },
  { name: "event_blocks", key: ["catalogue_key", "since", "revision_from"], owner: OWNER },
  {
    name: "merge_members",
    key: ["member", "catalogue_key", "event_id"],
    owner: OWNER,
    givenUp: GIVEN_UP,
    foundBy: ["merge_members_revision"],
  },
  {
    name: "bulletins",
    key: ["catalogue_key", "event_id", "revision", "part", "piece"],
    owner: OWNER,
    givenUp: GIVEN_UP,
    foundBy: ["bulletins_revision"],
  },
  {
    name: "bulletin_magnitudes",
    key: ["catalogue_key", "event_id", "revision", "place"],
    owner: OWNER,
    givenUp: GIVEN_UP,
    foundBy: ["bulletin_magnitudes_revision"],
  },
  {
    name: "abandoned_revisions",
    key: ["catalogue_key", "revision"],
    owner: OWNER,
    isWork: true,
  },
];

const Boxed = z.object({
  key: z.int(),
  event_count: z.int(),
  box_west: z.number().nullable(),
  box_east: z.number().nullable(),
});

/**
 * Keeps the west and east of a catalogue's smallest box after a commit: it begins behind the widest gap
 * between longitudes. Longitudes are looked through again only where the commit may have changed the
 * widest gap, which few edits do.
 */
export async function keepLongitudeBox(
  transaction: Transaction,
  { catalogueId, revision: version }: CatalogueEventData<"RevisionCommitted">,
): Promise<void> {
  const catalogue = await transaction.maybeOne(sql.type(Boxed)`
    select key, event_count, box_west, box_east from catalogues where id = ${catalogueId}`);
  if (catalogue === null) throw new Error(`no row of catalogue ${catalogueId}`);
  const { key, event_count, box_west: west, box_east: east } = catalogue;
  if (west !== null && east !== null && event_count > 0) {
    if (!(await mayMove(transaction, { key, version }, { west, east }))) return;
  }
  // Of the transaction's own schema: a rebuild's is another than that of the live tables.
  const present = sql.fragment`seismic_events where catalogue_key = ${key} and revision_to is null`;
  const box = event_count === 0 ? null : await smallestBox(transaction, present);
  await transaction.run(sql.unsafe`
    update catalogues set box_west = ${box?.west ?? null}, box_east = ${box?.east ?? null}
    where key = ${key}`);
}

/**
 * Whether a revision may have changed the widest gap. An event that came narrows it only from within.
 * One that went, or came elsewhere, widens another gap, which then may be the widest: never where the box
 * is less than half around, unless it went from an end of the box.
 */
async function mayMove(
  transaction: Transaction,
  { key, version }: VersionRows,
  { west, east }: LongitudeBox,
): Promise<boolean> {
  const width = west <= east ? east - west : east - west + 360;
  const isOutside =
    west <= east
      ? sql.fragment`longitude not between ${west} and ${east}`
      : sql.fragment`longitude > ${east} and longitude < ${west}`;
  const isMissed = width < 180 ? sql.fragment`longitude in (${west}, ${east})` : sql.fragment`true`;
  // Grouped, not joined: without statistics of the revision a join may go through all of it for each of its rows.
  const { moves } = await transaction.one(sql.type(z.object({ moves: z.boolean() }))`
    select exists (
      select from seismic_events
      where catalogue_key = ${key} and revision_from = ${version} and ${isOutside}
    ) or exists (
      select from (
        select event_id, longitude, false as is_there from seismic_events
        where catalogue_key = ${key} and revision_to = ${version} and ${isMissed}
        union all
        select event_id, longitude, true from seismic_events
        where catalogue_key = ${key} and revision_from = ${version} and ${isMissed}
      ) ends
      group by event_id, longitude having not bool_or(is_there)
    ) as moves`);
  return moves;
}

/** Degrees; west is above east across the antimeridian. */
type LongitudeBox = { readonly west: number; readonly east: number };

/** The west and east of the smallest box around a version's events; null without any. */
export function smallestBoxAt(lookups: Lookups, version: VersionRows) {
  return smallestBox(lookups, sql.fragment`read_model.seismic_events where ${visibleAt(version)}`);
}

/** Classes of longitudes a degree: a million events are classed three times as fast as sorted. */
const CLASSES = 100;

/**
 * The west and east of the smallest box around events; null without any. Within a class may be the widest
 * gap only if none is wider.
 * @param rows what follows `from`: the table of the events, and which
 */
export async function smallestBox(lookups: Lookups, rows: FragmentSqlToken) {
  const found = await lookups.maybeOne(
    boxBetween(sql.fragment`
      select min(longitude) as first, max(longitude) as last from ${rows}
      group by floor(longitude * ${CLASSES})`),
  );
  if (found === null) return null;
  const { gap, ...box } = found;
  if (gap > 2 / CLASSES) return box;
  return lookups.maybeOne(
    boxBetween(sql.fragment`select distinct longitude as first, longitude as last from ${rows}`),
  );
}

const Gap = z.object({ west: z.number(), east: z.number(), gap: z.number() });

/** The box behind the widest gap, in degrees, between classes; the first has that across 180° before it. */
function boxBetween(classes: FragmentSqlToken) {
  return sql.type(Gap)`
    select first as west, before as east, first - before + case when before < first then 0 else 360 end as gap
    from (
      select first,
        coalesce(lag(last) over (order by first), max(last) over ()) as before
      from (${classes}) classes
    ) gaps
    order by gap desc, west limit 1`;
}
