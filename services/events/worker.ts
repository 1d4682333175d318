/** Entry point of the threads that read bodies of up to 100 MB, and convert the magnitudes of a million events. */

import type { Client } from "pg";
import { rowIds } from "#contracts/bulletin/row.ts";
import { invalid, Refusal } from "#contracts/errors.ts";
import type { Bounds } from "#contracts/events/catalogues.ts";
import type { ValidationReport } from "#contracts/http/event-bodies.ts";
import { AddEventsEnvelope } from "#contracts/http/events.ts";
import type { MagnitudeConversion } from "#contracts/merges/config.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { idsOf } from "#contracts/seismic-event/public-ids.ts";
import { isJsonObject, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { packedBytes, packing } from "#infra/bulletins/packed-bulletin.ts";
import { InvalidJson, parseBody } from "#infra/json/json.ts";
import { atOnce } from "#infra/kernel/iteration.ts";
import { createChunkWriter, type EncodedChunk, type WrittenBulletin } from "#infra/log/chunks.ts";
import { openThreadSession, type Session } from "#infra/postgres/connection.ts";
import type { TextRow } from "#infra/postgres/copy/copied.ts";
import { isTransient } from "#infra/postgres/failures.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { giveMemoryBack, VERY_LARGE_BYTES } from "#infra/process/memory.ts";
import { type Alive, type Link, workerStream } from "#infra/threads/task.ts";
import {
  createRecordReader,
  EVENT_COLUMN_NAMES,
  readCopiedBulletin,
} from "#projections/read/copied-rows.ts";
import {
  BULLETIN_PLACE,
  besideConvertible,
  convertibleRows,
  copyEvent,
} from "#projections/read/edits.ts";
import { withConverted } from "#services/domain/bulletins/edits.ts";
import type { BulletinView } from "#services/domain/bulletins/view.ts";
import { createEventIdentifier } from "#services/domain/events/identity.ts";
import { createBulletinView, withinLimits } from "../changes/bulletin-view.ts";
import {
  createChangeWriter,
  LOOKUP,
  MAX_BATCH_BYTES,
  recordChanges,
} from "../changes/change-writer.ts";
import { type JoinOptions, joinRows, type RowsJoined } from "../changes/join-rows.ts";
import {
  type Candidate,
  type CatalogueTarget,
  CHUNKS_AHEAD,
  type Changes,
  type ChangeTarget,
  type Chunk,
} from "../changes/revision-changes.ts";
import {
  agencyOfMagnitude,
  converted,
  fittingConversion,
} from "../domain/events/magnitude-conversion.ts";
import {
  createTally,
  openUpload,
  readSubmission,
  type Submission,
  submissionOf,
  type UploadedRows,
  withUpload,
} from "./submission.ts";

type SubmissionTask = {
  readonly bytes: Uint8Array;
  /** The user who sent it. */
  readonly owner: string;
  readonly maxEvents: number;
  /** The present, milliseconds since 1970. */
  readonly nowMs: number;
  /** The version with which the events are compared; null for a new catalogue. */
  readonly target: CatalogueTarget | null;
};

/** The result of a body read to its end. */
export type SubmissionEnd = {
  /** Null when the body has no list of events. */
  readonly report: ValidationReport | null;
  readonly changes: Changes;
  /** Of rows that are joined to events that are there. */
  readonly joined?: RowsJoined;
};

/** Known before a body's events are read. */
export type SubmissionBegin = { readonly envelope: unknown; readonly count: number | null };

/** This thread's connection, shared by successive submissions; it ends with the thread. */
let session: Promise<Session> | null = null;

/**
 * The changes that a body's valid events make, as the chunks of a revision, each sent as soon as it
 * is full, so that the log and the read model follow while the rest is read.
 */
export const streamChunks = workerStream(submitted, CHUNKS_AHEAD);

/** @throws Refusal INVALID_JSON, TOO_MANY_EVENTS, UNAVAILABLE, NOT_FOUND, VALIDATION_ERROR */
async function* submitted(
  task: SubmissionTask,
  { alive }: Pick<Link, "alive">,
): AsyncGenerator<{ readonly begin: SubmissionBegin } | Chunk, SubmissionEnd> {
  try {
    const { envelope, count, chunks, end } = await openSubmission(task, alive);
    yield { begin: { envelope, count } };
    for await (const chunk of chunks) yield { chunk };
    return end();
  } catch (error) {
    if (!isTransient(error)) throw error;
    throw unreachable();
  } finally {
    // The next one may come at once.
    if (task.bytes.length > VERY_LARGE_BYTES) giveMemoryBack(0);
  }
}

/** A body that is an event's new bulletin. */
type ReplacementTask = Omit<SubmissionTask, "owner" | "maxEvents" | "target"> & {
  readonly eventId: string;
  readonly target: ChangeTarget;
};

/** The change that a submitted bulletin makes of one event, as the chunks of a revision. */
export const streamReplacement = workerStream(replaced, CHUNKS_AHEAD);

/** @throws Refusal INVALID_JSON, UNAVAILABLE */
async function* replaced(
  { bytes, eventId, target, nowMs }: ReplacementTask,
  { alive }: Pick<Link, "alive">,
): AsyncGenerator<{ readonly begin: SubmissionBegin } | Chunk, SubmissionEnd> {
  yield { begin: { envelope: {}, count: 1 } };
  const submission = openReplacement(bytes, nowMs, alive);
  const writer = recordChanges(target);
  try {
    for (const { record, bulletin } of submission.validEvents()) {
      const known = await copyEvent(await lookupConnection(), target, eventId);
      if (known === null) continue;
      yield* chunksIn(writer.update(known, { record, bulletin }));
    }
    yield* chunksIn(writer.finish());
  } catch (error) {
    if (!isTransient(error)) throw error;
    throw unreachable();
  }
  return { report: submission.report(), changes: writer.changes() };
}

function openReplacement(bytes: Uint8Array, nowMs: number, alive: Alive): Submission {
  const event = parseBody(bytes);
  const bulletin = isJsonObject(event) ? event["bulletin"] : null;
  // An event without a bulletin would be read as a row.
  const given = { bulletin: bulletin ?? {} };
  return submissionOf({ envelope: {}, count: 1, slices: () => [[given]] }, nowMs, alive);
}

function* chunksIn(chunk: EncodedChunk | null): Generator<Chunk> {
  if (chunk !== null) yield { chunk };
}

/** What a body makes; known at its end, once all chunks are read. */
type Written = SubmissionBegin & {
  readonly chunks: AsyncIterable<EncodedChunk> | Iterable<EncodedChunk>;
  readonly end: () => SubmissionEnd;
};

function ofNewCatalogue({ envelope, count, validEvents, report }: Submission): Written {
  const writer = createChunkWriter();
  function* chunks(): Generator<EncodedChunk> {
    for (const { record, bulletin } of validEvents()) yield* some(writer.add(record, bulletin));
    yield* some(writer.finish());
  }
  const changes = () => ({
    ...writer.counts(),
    bounds: writer.bounds(),
    touched: [],
    goneIds: [],
  });
  const end = () => ({ report: report(), changes: changes() });
  return { envelope, count, chunks: chunks(), end };
}

function comparedWith(
  target: ChangeTarget,
  nowMs: number,
  { envelope, count, validEvents, report }: Submission,
): Written {
  const identifier = createEventIdentifier();
  // A body with an invalid envelope is refused by the receiver, whatever is read here.
  const { data } = AddEventsEnvelope.safeParse(envelope);
  const options = { updateExisting: data?.updateExisting ?? false, nowMs };
  const writer = createChangeWriter(lookupConnection, target, options, identifier);

  function* candidates(): Generator<Candidate[]> {
    let batch: Candidate[] = [];
    let bytes = 0;
    for (const { record, bulletin } of validEvents()) {
      const ids = identifier.take(idsOf(record));
      if (ids === null) continue;
      batch.push({ ids, record, bulletin });
      bytes += bulletin === null ? 0 : packedBytes(bulletin);
      if (batch.length < LOOKUP && bytes < MAX_BATCH_BYTES) continue;
      yield batch;
      batch = [];
      bytes = 0;
    }
    yield batch;
  }

  async function* chunks(): AsyncGenerator<EncodedChunk> {
    yield* writer.write(candidates());
    yield* some(writer.finish());
  }
  const end = () => ({ report: report(), changes: writer.changes() });
  return { envelope, count, chunks: chunks(), end };
}

function* some(chunk: EncodedChunk | null): Generator<EncodedChunk> {
  if (chunk !== null) yield chunk;
}

async function openSubmission(task: SubmissionTask, alive: Alive): Promise<Written> {
  try {
    const { buffer, byteOffset, byteLength } = task.bytes;
    const body = readSubmission(Buffer.from(buffer, byteOffset, byteLength), task.nowMs, alive);
    const written = await writtenOf(task, body, alive);
    if ((written.count ?? 0) <= task.maxEvents) return written;
  } catch (error) {
    if (error instanceof InvalidJson) throw new Refusal("INVALID_JSON", error.message);
    if (isTransient(error)) throw unreachable();
    throw error;
  }
  throw new Refusal("TOO_MANY_EVENTS", `More than ${task.maxEvents} events in one request`);
}

async function writtenOf(task: SubmissionTask, body: Submission, alive: Alive): Promise<Written> {
  const { owner, nowMs, target } = task;
  const statements = async () => statementsOn(await lookupConnection());
  const options = { statements, owner, nowMs, alive };
  // A body with an invalid envelope is refused by the receiver, whatever is read here.
  const { data } = AddEventsEnvelope.safeParse(body.envelope);
  const upload = target && data?.join ? await openUpload(body, options) : null;
  if (target !== null && upload !== null) {
    const { envelope } = body;
    const { preferred = false } = data ?? {};
    const joined = joinUpload(lookupConnection, target, upload, { preferred, nowMs, alive });
    return { envelope, count: upload.count, ...joined };
  }
  const submission = await withUpload(body, options);
  return target === null ? ofNewCatalogue(submission) : comparedWith(target, nowMs, submission);
}

function unreachable(): Refusal {
  return new Refusal("UNAVAILABLE", "The database cannot be reached; try again");
}

/** The connection of this thread for lookups of events; opened on demand and again after a loss. */
async function lookupConnection(): Promise<Client> {
  const open = await session?.catch(() => null);
  if (open && !open.lost.aborted) return open.client;
  session = openThreadSession("lookups of submissions");
  return (await session).client;
}

/**
 * Joins the rows of a kept upload to the events that they are about.
 * @throws Refusal VALIDATION_ERROR, while the chunks are read, for a file none of whose rows has an id
 */
function joinUpload(
  connect: () => Promise<Client>,
  target: CatalogueTarget,
  { slices, elements, count }: UploadedRows,
  options: Omit<JoinOptions, "onRow" | "onRefused">,
) {
  const tally = createTally(elements);
  const joined = joinRows(connect, target, slices(), {
    ...options,
    onRow: ({ bulletin = null }, read, isMatched) => tally.count(read, bulletin, isMatched),
    onRefused: tally.refuse,
  });

  async function* chunks(): AsyncGenerator<EncodedChunk> {
    yield* joined.chunks;
    if (count > 0 && !joined.end().hasIds) {
      throw invalid("columns", "leave no id: say which column is source_id");
    }
  }

  const end = () => ({
    report: tally.report(),
    changes: joined.changes(),
    joined: joined.end(),
  });
  return { chunks: chunks(), end };
}

type ConvertTask = {
  /** The version that is read. */
  readonly base: { readonly key: number; readonly version: number };
  /** The version that the conversions make, and when; it signs what becomes of bulletins. */
  readonly edit: { readonly version: number; readonly at: string };
  readonly filters: EventFilters;
  readonly conversions: readonly MagnitudeConversion[];
};

type ConvertEnd = {
  readonly converted: number;
  readonly outOfRange: number;
  /** Of all events of the version that this makes; null where no event has a magnitude. */
  readonly bounds: Pick<Bounds, "min_magnitude" | "max_magnitude">;
};

const recordOf: (row: TextRow) => SeismicEventRecord = createRecordReader(EVENT_COLUMN_NAMES);

/** The converted events as the chunks of a revision. */
export const streamConverted = workerStream(convertedChunks, CHUNKS_AHEAD);

async function* convertedChunks(
  task: ConvertTask,
): AsyncGenerator<{ readonly begin: { readonly candidates: number } } | Chunk, ConvertEnd> {
  await using session = await openThreadSession("conversion");
  const { client } = session;
  // Events that are converted and the others are told apart in one snapshot.
  await client.query("begin isolation level repeatable read, read only");
  const types = [...new Set(task.conversions.map(({ from }) => from.toLowerCase()))];
  const events = { ...task, version: task.base, types };
  const { convertible, least, greatest } = await besideConvertible(client, events);
  yield { begin: { candidates: convertible } };
  const writer = createChunkWriter();
  const convert = createConverter(task, [least, greatest]);
  for await (const rows of convertibleRows(client, events)) {
    for (const row of rows) {
      const after = convert.event(row);
      const chunk = after && writer.update(after.id, after.record, after.bulletin);
      if (chunk !== null) yield { chunk };
    }
  }
  const chunk = writer.finish();
  if (chunk !== null) yield { chunk };
  return { converted: writer.counts().updated, ...convert.end() };
}

/** @param others magnitudes that stay */
function createConverter({ conversions, edit }: ConvertTask, others: readonly (number | null)[]) {
  const view = createBulletinView(Number.MAX_SAFE_INTEGER);
  const known = others.filter((magnitude) => magnitude !== null);
  let least = Math.min(...known);
  let greatest = Math.max(...known);
  let outOfRange = 0;
  const extend = (magnitude: number | null) => {
    least = Math.min(least, magnitude ?? least);
    greatest = Math.max(greatest, magnitude ?? greatest);
  };

  return {
    /** Null for one that stays as it is. */
    event(row: TextRow) {
      const before = recordOf(row);
      const { magnitude } = before;
      const by = fittingConversion({ ...before, agency: agencyOfMagnitude(before) }, conversions);
      if (typeof by === "string" || magnitude === null) {
        if (by === "outOfRange") outOfRange += 1;
        extend(magnitude);
        return null;
      }
      const record = { ...before, ...converted(before, magnitude, by) };
      extend(record.magnitude);
      const [id] = row as [string];
      return { id, record, bulletin: bulletinOf(row, { id, record, by: by.name, edit }, view) };
    },
    end: (): Omit<ConvertEnd, "converted"> => ({
      outOfRange,
      bounds: {
        min_magnitude: Number.isFinite(least) ? least : null,
        max_magnitude: Number.isFinite(greatest) ? greatest : null,
      },
    }),
  };
}

/** @throws Refusal VALIDATION_ERROR for one beyond the limits */
function bulletinOf(
  row: TextRow,
  {
    id,
    record,
    by,
    edit,
  }: { id: string; record: SeismicEventRecord; by: string; edit: ConvertTask["edit"] },
  view: BulletinView,
): WrittenBulletin | null {
  const before = readCopiedBulletin(row[BULLETIN_PLACE] ?? null);
  if (before === null) return null;
  const { magnitude: publicID } = rowIds(id, `/${edit.version}`);
  return atOnce(withinLimits(packing(withConverted(before, { record, by, publicID, edit }, view))));
}
