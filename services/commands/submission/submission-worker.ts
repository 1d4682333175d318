/** Entry point of the threads that read bodies: up to 100 MB must not block other requests. */
import type { Client } from "pg";
import { invalid, Refusal } from "#contracts/errors.ts";
import { AddEventsEnvelope } from "#contracts/http/events/event-edits.ts";
import type { ValidationReport } from "#contracts/http/validation-report.ts";
import { idsOf } from "#contracts/seismic-event/public-id.ts";
import { isJsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { packedBytes } from "#infra/bulletins/packed-bulletin.ts";
import { parseBody } from "#infra/json/json-body.ts";
import { InvalidJson } from "#infra/json/scan.ts";
import { createChunkWriter, type EncodedChunk } from "#infra/log/chunks.ts";
import { openWatchedSession, type Session } from "#infra/postgres/connection.ts";
import { isTransient } from "#infra/postgres/failures.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { giveMemoryBack, VERY_LARGE_BYTES } from "#infra/process/memory.ts";
import { type Alive, type Link, workerStream } from "#infra/threads/task.ts";
import { copyEvent } from "#projections/read/edits.ts";
import { createEventIdentifier } from "#services/domain/events/identity.ts";
import type { Candidate } from "../changes/candidate.ts";
import {
  createChangeWriter,
  LOOKUP,
  MAX_BATCH_BYTES,
  recordChanges,
} from "../changes/change-writer.ts";
import { CHUNKS_AHEAD, type Chunk } from "../changes/chunks-of-thread.ts";
import type { CatalogueTarget, Changes, ChangeTarget } from "../changes/revision-changes.ts";
import { type JoinOptions, joinRows, type RowsJoined } from "../joins/join-rows.ts";
import { createTally, readSubmission, type Submission, submissionOf } from "./read-submission.ts";
import { openUpload, type UploadedRows, withUpload } from "./uploaded-rows.ts";

export type SubmissionTask = {
  readonly bytes: Uint8Array;
  /** The user who sent it. */
  readonly owner: string;
  readonly maxEvents: number;
  /** The present, milliseconds since 1970. */
  readonly nowMs: number;
  /** Database for lookups of events that a catalogue may have already. */
  readonly databaseUrl: string;
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
export type ReplacementTask = Omit<SubmissionTask, "owner" | "maxEvents" | "target"> & {
  readonly eventId: string;
  readonly target: ChangeTarget;
};

/** The change that a submitted bulletin makes of one event, as the chunks of a revision. */
export const streamReplacement = workerStream(replaced, CHUNKS_AHEAD);

/** @throws Refusal INVALID_JSON, UNAVAILABLE */
async function* replaced(
  { bytes, eventId, target, nowMs, databaseUrl }: ReplacementTask,
  { alive }: Pick<Link, "alive">,
): AsyncGenerator<{ readonly begin: SubmissionBegin } | Chunk, SubmissionEnd> {
  yield { begin: { envelope: {}, count: 1 } };
  const submission = openReplacement(bytes, nowMs, alive);
  const writer = recordChanges(target);
  try {
    for (const { record, bulletin } of submission.validEvents()) {
      const known = await copyEvent(await lookupConnection(databaseUrl), target, eventId);
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
  return {
    envelope,
    count,
    chunks: chunks(),
    end: () => ({ report: report(), changes: changes() }),
  };
}

function comparedWith(
  target: ChangeTarget,
  { databaseUrl, nowMs }: Pick<SubmissionTask, "databaseUrl" | "nowMs">,
  { envelope, count, validEvents, report }: Submission,
): Written {
  const identifier = createEventIdentifier();
  // A body with an invalid envelope is refused by the receiver, whatever is read here.
  const { data } = AddEventsEnvelope.safeParse(envelope);
  const connect = () => lookupConnection(databaseUrl);
  const options = { updateExisting: data?.updateExisting ?? false, nowMs };
  const writer = createChangeWriter(connect, target, options, identifier);

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
    const body = readSubmission(bufferOf(task.bytes), task.nowMs, alive);
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
  const { owner, nowMs, databaseUrl, target } = task;
  const connect = () => lookupConnection(databaseUrl);
  const statements = async () => statementsOn(await connect());
  const options = { statements, owner, nowMs, alive };
  // A body with an invalid envelope is refused by the receiver, whatever is read here.
  const { data } = AddEventsEnvelope.safeParse(body.envelope);
  const upload = target && data?.join ? await openUpload(body, options) : null;
  if (target !== null && upload !== null) {
    const { envelope } = body;
    const { preferred = false } = data ?? {};
    const joined = joinUpload(connect, target, upload, { preferred, nowMs, alive });
    return { envelope, count: upload.count, ...joined };
  }
  const submission = await withUpload(body, options);
  return target === null ? ofNewCatalogue(submission) : comparedWith(target, task, submission);
}

function unreachable(): Refusal {
  return new Refusal("UNAVAILABLE", "The database cannot be reached; try again");
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** This thread's connection, shared by successive submissions; it ends with the thread. */
let session: Promise<Session> | null = null;

/** The connection of this thread for lookups of events; opened on demand and again after a loss. */
export async function lookupConnection(databaseUrl: string): Promise<Client> {
  const open = await session?.catch(() => null);
  if (open && !open.lost.aborted) return open.client;
  session = openWatchedSession(databaseUrl, "lookups of submissions");
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
