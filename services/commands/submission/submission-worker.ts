/** Entry point of the threads that read bodies: up to 100 MB must not block other requests. */
import type { MessagePort } from "node:worker_threads";
import type { ValidationReport } from "#contracts/http/validation-report.ts";
import { idsOf } from "#contracts/seismic-event/public-id.ts";
import { createChunkWriter, type EncodedChunk } from "#infra/event-log/chunk-writer.ts";
import { InvalidJson } from "#infra/json/invalid-json.ts";
import { isTransient } from "#infra/postgres/failures.ts";
import { type Alive, workerTask } from "#infra/threads/task.ts";
import { createEventIdentifier } from "#services/domain/identity/identify-events.ts";
import { type Candidate, createChangeWriter, LOOKUP } from "../changes/change-writer.ts";
import type { Changes, ChangeTarget } from "../changes/changes.ts";
import { createChunkSender } from "../chunk-port.ts";
import { AdditionEnvelope } from "./addition-envelope.ts";
import { lookupConnection } from "./lookup-connection.ts";
import { readSubmission, type Submission } from "./read-submission.ts";

export type SubmissionTask = {
  readonly bytes: Uint8Array;
  readonly maxEvents: number;
  /** The present, milliseconds since 1970. */
  readonly nowMs: number;
  readonly databaseUrl: string;
  /** The version with which the events are compared; null for a new catalogue. */
  readonly target: ChangeTarget | null;
};

/**
 * Why a body was not read to its end. Errors lose their class between threads, so this is part of
 * the result.
 */
export type BodyRefusal = {
  readonly code: "INVALID_JSON" | "TOO_MANY_EVENTS" | "UNAVAILABLE";
  readonly message: string;
};

/** The result of a body read to its end. */
export type SubmissionEnd = {
  /** Null when the body has no list of events. */
  readonly report: ValidationReport | null;
  readonly changes: Changes;
};

/** Known before a body's events are read. */
export type SubmissionBegin = { readonly envelope: unknown; readonly count: number | null };

/**
 * The changes that a body's valid events make, as the chunks of a revision, each sent as soon as it
 * is full, so that the log and the read model follow while the rest is read.
 */
export const streamChunks = workerTask(sendChunks);

async function sendChunks(
  task: SubmissionTask & { readonly port: MessagePort },
  alive: Alive,
): Promise<SubmissionEnd | BodyRefusal> {
  const sender = createChunkSender<SubmissionBegin>(task.port);
  try {
    const submission = openSubmission(task, alive);
    if ("code" in submission) return submission;
    sender.begin({ envelope: submission.envelope, count: submission.count });
    const { target, databaseUrl } = task;
    const { chunks, changes } =
      target === null ? ofNewCatalogue(submission) : comparedWith(target, databaseUrl, submission);
    for await (const chunk of chunks) {
      await sender.send(chunk);
      if (!sender.isOpen()) break;
    }
    return { report: submission.report(), changes: changes() };
  } catch (error) {
    if (!isTransient(error)) throw error;
    return { code: "UNAVAILABLE", message: "The database cannot be reached; try again" };
  } finally {
    sender.end();
  }
}

type SubmissionWriter = {
  readonly chunks: AsyncIterable<EncodedChunk> | Iterable<EncodedChunk>;
  readonly changes: () => Changes;
};

function ofNewCatalogue({ validEvents }: Submission): SubmissionWriter {
  const writer = createChunkWriter();
  function* chunks(): Generator<EncodedChunk> {
    for (const record of validEvents()) yield* some(writer.add(record));
    yield* some(writer.finish());
  }
  const changes = () => ({
    ...writer.counts(),
    bounds: writer.bounds(),
    touched: [],
    goneIds: [],
  });
  return { chunks: chunks(), changes };
}

function comparedWith(
  target: ChangeTarget,
  databaseUrl: string,
  { envelope, validEvents }: Submission,
): SubmissionWriter {
  const identifier = createEventIdentifier();
  // A body with an invalid envelope is refused by the receiver, whatever is read here.
  const { data } = AdditionEnvelope.safeParse(envelope);
  const connect = () => lookupConnection(databaseUrl);
  const updateExisting = data?.updateExisting ?? false;
  const writer = createChangeWriter(connect, target, updateExisting, identifier);

  function* candidates(): Generator<Candidate[]> {
    let batch: Candidate[] = [];
    for (const record of validEvents()) {
      const ids = identifier.take(idsOf(record));
      if (ids === null) continue;
      batch.push({ ids, record });
      if (batch.length < LOOKUP) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  }

  async function* chunks(): AsyncGenerator<EncodedChunk> {
    yield* writer.write(candidates());
    yield* some(writer.finish());
  }
  return { chunks: chunks(), changes: writer.changes };
}

function* some(chunk: EncodedChunk | null): Generator<EncodedChunk> {
  if (chunk !== null) yield chunk;
}

function openSubmission(
  { bytes, maxEvents, nowMs }: SubmissionTask,
  alive: Alive,
): Submission | BodyRefusal {
  try {
    const submission = readSubmission(bufferOf(bytes), nowMs, alive);
    if ((submission.count ?? 0) <= maxEvents) return submission;
    return { code: "TOO_MANY_EVENTS", message: `More than ${maxEvents} events in one request` };
  } catch (error) {
    if (error instanceof InvalidJson) return { code: "INVALID_JSON", message: error.message };
    throw error;
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
