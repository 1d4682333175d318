/** Entry points of the worker threads: reading a body of up to 100 MB must not hold up other requests. */
import type { Bounds } from "#contracts/domain-events/catalogue-events.ts";
import { createColumnsBuilder, type EventColumns } from "#contracts/seismic-event/event-columns.ts";
import { createChunkWriter, type EncodedChunk } from "#infra/event-log/chunk-writer.ts";
import { InvalidJson } from "#infra/json/invalid-json.ts";
import { readSubmission, type Submission, type SubmissionLimits } from "./read-submission.ts";

/** The bytes are moved to the worker, not copied. */
export type SubmissionTask = { readonly bytes: Uint8Array; readonly limits: SubmissionLimits };

/** Errors lose their class on the way between threads, so a refusal is an answer. */
export type Read<T> =
  | { readonly invalidJson: string }
  | { readonly invalidJson: null; readonly submission: Submission; readonly content: T };

export type ChunkedContent = {
  readonly chunks: readonly EncodedChunk[];
  readonly added: number;
  readonly bounds: Bounds;
};

/** The valid events of a body as the chunks of a catalogue's first revision. */
export function readAsChunks({ bytes, limits }: SubmissionTask): Read<ChunkedContent> {
  return attempt(() => {
    const writer = createChunkWriter();
    const chunks: EncodedChunk[] = [];
    const keep = (chunk: EncodedChunk | null) => chunk && chunks.push(chunk);
    const submission = readSubmission(bufferOf(bytes), limits, (record) => {
      keep(writer.add(record));
    });
    keep(writer.finish());
    const content = { chunks, added: writer.counts().added, bounds: writer.bounds() };
    return { invalidJson: null, submission, content };
  });
}

/** The valid events of a body by column, to be compared with those that a catalogue has. */
export function readAsColumns({ bytes, limits }: SubmissionTask): Read<EventColumns> {
  return attempt(() => {
    const builder = createColumnsBuilder();
    const submission = readSubmission(bufferOf(bytes), limits, builder.push);
    return { invalidJson: null, submission, content: builder.take() };
  });
}

function attempt<T>(read: () => Read<T>): Read<T> {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidJson) return { invalidJson: error.message };
    throw error;
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
