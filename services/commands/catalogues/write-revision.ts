import { createHash } from "node:crypto";
import {
  type Bounds,
  type CatalogueEvent,
  CHUNK_EVENT,
  FRAME_EVENT,
} from "#contracts/domain-events/catalogue-events.ts";
import { bulletinStream, revisionStream } from "#contracts/names.ts";
import type { EncodedChunk } from "#infra/log/chunks.ts";
import { deriveEventId, eventMetadata } from "#infra/log/domain-events.ts";
import { MAX_APPEND_BYTES, type NewEvent, NO_STREAM, type Position } from "#infra/log/event-log.ts";
import {
  type CommitRevision,
  commitRevision,
  type ExistingCatalogue,
  requireNotGivenUp,
} from "#services/domain/catalogues/catalogue.ts";
import type { Command, CommandContext } from "../context.ts";
import { appendSafely } from "../decide-on-stream.ts";
import { abandonAfterFailure } from "./abandon-if-open.ts";
import { decideOnCatalogue } from "./catalogue-decision.ts";

/** The overall effect of a revision on its catalogue. */
export type RevisionTotals = {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  /** Bounds of the whole catalogue after the revision. */
  readonly bounds: Bounds;
};

export type RevisionContent = {
  readonly chunks: Iterable<EncodedChunk> | AsyncIterable<EncodedChunk>;
  /** Called after the last chunk. */
  readonly totals: () => RevisionTotals | Promise<RevisionTotals>;
  /** What is recorded just before the commit of the revision, in one append; called after `totals`. */
  readonly alongside?: ((revision: number) => Promise<readonly CatalogueEvent[]>) | undefined;
};

/**
 * Writes the chunks of the open revision of `catalogue` and publishes them by its commit, or
 * abandons the revision on any failure: readers see all of it or nothing.
 * @returns position of the commit
 * @throws Refusal UNAVAILABLE: the sweep considered this process dead and abandoned the revision
 */
export async function writeRevision(
  context: CommandContext,
  command: Command,
  catalogue: ExistingCatalogue,
  content: RevisionContent,
): Promise<Position> {
  const { catalogueId, lastRevision: revision } = catalogue;
  try {
    const { contentHash, ...written } = await appendChunks(
      context,
      command,
      catalogue,
      content.chunks,
    );
    const { added, updated, removed, bounds } = await content.totals();
    const events = (await content.alongside?.(revision)) ?? [];
    const commit = { revision, ...written, added, updated, removed, bounds, contentHash };
    const { position } = await decideOnCatalogue(context, command, catalogueId, (state) => {
      requireNotGivenUp(catalogue, state);
      return [...events, ...commitRevision(state, commit)];
    });
    if (position === null) throw new Error("a commit always makes an event");
    return position;
  } catch (error) {
    await abandonAfterFailure(context, command, catalogueId, revision, error);
    throw error;
  }
}

/** Generous size of a chunk's metadata in an append. */
const METADATA_BYTES = 1024;

/**
 * Chunks are appended in quarters of an append's limit, so that the projection follows closely while
 * the rest is read. With full appends it would end 0.3 s later for 100,000 events.
 */
const FLUSH_BYTES = MAX_APPEND_BYTES / 4;

/** What the log has of a revision, and the hash of the resulting version in hex. */
type WrittenChunks = Pick<CommitRevision, "chunks" | "frames" | "contentHash">;

/**
 * Appends the chunks of the open revision of `catalogue` to the log, several at a time, and the
 * frames of their bulletins to a stream beside them.
 */
export async function appendChunks(
  context: CommandContext,
  command: Command,
  { catalogueId, lastRevision, contentHash }: ExistingCatalogue,
  chunks: RevisionContent["chunks"],
): Promise<WrittenChunks> {
  const ofChunks = createAppender(context, command, {
    stream: revisionStream(catalogueId, lastRevision),
    type: CHUNK_EVENT,
  });
  const ofFrames = createAppender(context, command, {
    stream: bulletinStream(catalogueId, lastRevision),
    type: FRAME_EVENT,
  });
  const hash = createHash("sha256").update(contentHash);
  const frameHashes: string[] = [];
  for await (const { bytes, sha256, frames = [] } of chunks) {
    for (const frame of frames) {
      await ofFrames.add(frame.bytes);
      frameHashes.push(frame.sha256);
    }
    // A chunk comes behind its frames: who applies it finds the bulletins of its events.
    if (frames.length > 0) await ofFrames.finish();
    await ofChunks.add(bytes);
    hash.update(sha256);
  }
  const count = await ofChunks.finish();
  const frames = await ofFrames.finish();
  for (const sha256 of frameHashes) hash.update(sha256);
  return { chunks: count, ...(frames > 0 && { frames }), contentHash: hash.digest("hex") };
}

/** Appends binary events to a stream that does not exist yet. */
function createAppender(
  { log, now }: CommandContext,
  { id: commandId, actor }: Command,
  { stream, type }: { readonly stream: string; readonly type: string },
) {
  const metadata = eventMetadata({ commandId, actor, at: now() }, type);
  let revision = NO_STREAM;
  let pending: NewEvent[] = [];
  let pendingBytes = 0;
  const flush = async (): Promise<void> => {
    if (pending.length === 0) return;
    ({ revision } = await appendSafely(log, stream, revision, pending));
    pending = [];
    pendingBytes = 0;
  };
  return {
    async add(data: Uint8Array): Promise<void> {
      const size = data.byteLength + METADATA_BYTES;
      if (pendingBytes + size > FLUSH_BYTES) await flush();
      const id = deriveEventId(commandId, stream, revision + 1 + pending.length);
      pending.push({ id, type, data, metadata });
      pendingBytes += size;
    },
    /** Appends what is pending. @returns the number of events in the stream */
    async finish(): Promise<number> {
      await flush();
      return revision + 1;
    },
  };
}
