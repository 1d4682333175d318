/** Entry points of the worker threads: reading a body of up to 100 MB must not hold up other requests. */
import type { MessagePort } from "node:worker_threads";
import type { Bounds } from "#contracts/domain-events/catalogue-events.ts";
import type { ValidationReport } from "#contracts/http/catalogues.ts";
import { createColumnsBuilder, type EventColumns } from "#contracts/seismic-event/event-columns.ts";
import { createChunkWriter } from "#infra/event-log/chunk-writer.ts";
import { InvalidJson } from "#infra/json/invalid-json.ts";
import { type Alive, workerTask } from "../../worker-task.ts";
import { createChunkSender } from "../chunk-port.ts";
import { readSubmission, type Submission } from "./read-submission.ts";

export type SubmissionTask = {
  /** Moved to the worker, not copied. */
  readonly bytes: Uint8Array;
  readonly maxEvents: number;
  /** The present, milliseconds since 1970. */
  readonly nowMs: number;
};

/** Why a body is not read at all. Errors lose their class between threads, so this is an answer. */
export type BodyRefusal = {
  readonly code: "INVALID_JSON" | "TOO_MANY_EVENTS";
  readonly message: string;
};

/** What was read, when all of it was. */
export type SubmissionEnd = {
  readonly report: ValidationReport | null;
  readonly added: number;
  readonly bounds: Bounds;
};

/** What is known of a body before its events are read. */
export type SubmissionBegin = { readonly envelope: unknown; readonly count: number | null };

/**
 * The valid events of a body as the chunks of a catalogue's first revision, each sent as soon as it
 * is full: the log and the read model follow while the rest is read.
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
    const writer = createChunkWriter();
    for (const record of submission.validEvents()) {
      const chunk = writer.add(record);
      if (chunk !== null) await sender.send(chunk);
      if (!sender.isOpen()) break;
    }
    await sender.send(writer.finish());
    const report = submission.report();
    return { report, added: writer.counts().added, bounds: writer.bounds() };
  } finally {
    sender.end();
  }
}

export type ReadColumns = {
  readonly envelope: unknown;
  readonly report: ValidationReport | null;
  readonly events: EventColumns;
};

/** The valid events of a body by column, to be compared with those that a catalogue has. */
export const readColumns = workerTask(columnsOf);

function columnsOf(task: SubmissionTask, alive: Alive): ReadColumns | BodyRefusal {
  const submission = openSubmission(task, alive);
  if ("code" in submission) return submission;
  const builder = createColumnsBuilder();
  for (const record of submission.validEvents()) builder.push(record);
  const { envelope } = submission;
  return { envelope, report: submission.report(), events: builder.take() };
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
