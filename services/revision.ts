/**
 * The write heart: a revision of a catalogue is opened, written, and committed or given up; what a
 * dead process left open is taken back, and what an earlier run of a command wrote is found again.
 */

import { createHash } from "node:crypto";
import {
  type Bounds,
  type CatalogueEvent,
  type CatalogueEventData,
  CHUNK_EVENT,
  FRAME_EVENT,
} from "#contracts/events/catalogues.ts";
import { bulletinStream, catalogueStream, revisionStream } from "#contracts/events/log.ts";
import { peek } from "#infra/kernel/iteration.ts";
import type { EncodedChunk } from "#infra/log/chunks.ts";
import { deriveEventId, eventMetadata, fromRecorded } from "#infra/log/domain-events.ts";
import { MAX_APPEND_BYTES, type NewEvent, NO_STREAM, type Position } from "#infra/log/event-log.ts";
import type { Presence } from "#infra/postgres/coordination.ts";
import { createImportProgressStore } from "#infra/stores/jobs.ts";
import { isVisible } from "#projections/engine/progress.ts";
import { openRevisions } from "#projections/read/edits.ts";
import {
  type AbandonRevision,
  abandonRevision,
  type CatalogueState,
  type CommitRevision,
  commitRevision,
  type ExistingCatalogue,
  existing,
  openRevision,
  otherChange,
  requireNotGivenUp,
} from "#services/domain/catalogues/catalogue.ts";
import type { CatalogueTarget } from "./changes/revision-changes.ts";
import type { Command, CommandContext, RevisionsInProgress } from "./context.ts";
import {
  appendSafely,
  baseOf,
  changeCatalogue,
  decideOnCatalogue,
  eventsOfCommand,
  loadCatalogue,
  type Precondition,
  requireTag,
  requireUndone,
} from "./streams.ts";
import { runsOfTheDead } from "./works.ts";

/** How a revision comes about; `restores` is the version that it repeats, whole or for one event. */
export type EditOrigin =
  | { readonly cause: "edit"; readonly restores?: number }
  | { readonly cause: "merge" }
  | { readonly cause: "restore"; readonly restores: number };

/** An edit of a catalogue's events: who asks for it, of which catalogue, and what must not have changed before it. */
export type Edit = {
  readonly context: CommandContext;
  readonly command: Command;
  readonly catalogueId: string;
  readonly precondition: Precondition;
};

/** Writes a content as a version and returns its number; without chunks, the base version's. */
export type WriteEdit = (content: RevisionContent) => Promise<number>;

/** Plans an edit and passes its content to `write`, at most once. */
export type PlanEdit<T> = (base: CatalogueTarget, write: WriteEdit) => Promise<T>;

export type Edited<T> =
  | { readonly outcome: "planned"; readonly result: T }
  /** An earlier run of the command made this version. */
  | {
      readonly outcome: "earlier";
      readonly version: number;
      readonly added: number;
      readonly updated: number;
      readonly removed: number;
    };

/** How often an edit is planned again when its base version is no longer the latest. */
const MAX_PLANS = 5;

/** The catalogue changed between the planning and the opening of the revision. */
class Outdated extends Error {}

/**
 * Changes the events of a catalogue by one new revision: plans on the latest version, then opens the
 * revision only if that version is still the latest. An edit without any change makes no version,
 * nor does a retried command whose edit was committed.
 * @throws Refusal NOT_FOUND, CONFLICT (another revision is open), PRECONDITION_FAILED; refusals of
 * `plan`
 */
export async function editCatalogue<T>(
  { context, command, catalogueId, precondition }: Edit,
  origin: EditOrigin,
  plan: PlanEdit<T>,
): Promise<Edited<T>> {
  const earlier = await earlierRun(context, command, catalogueId);
  if (earlier.outcome === "committed") {
    const { revision: version, added, updated, removed } = earlier.commit;
    await context.untilVisible("catalogues", earlier.position);
    return { outcome: "earlier", version, added, updated, removed };
  }
  const first = { ...command, retried: false };
  for (let attempt = 1; ; attempt += 1) {
    const catalogue = await editable(context, catalogueId, precondition);
    const base = await targetOf(context, catalogue);
    try {
      const result = await plan(base, (content) =>
        write(context, first, { catalogue, base, precondition, origin }, content),
      );
      return { outcome: "planned", result };
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
      if (attempt === MAX_PLANS) throw otherChange();
    }
  }
}

/** The latest version, to compare with. @throws Refusal NOT_FOUND, CONFLICT */
export async function latestTarget(
  context: CommandContext,
  catalogueId: string,
): Promise<CatalogueTarget> {
  const { state } = await loadCatalogue(context, catalogueId);
  return targetOf(context, existing(state));
}

async function targetOf(
  context: CommandContext,
  catalogue: ExistingCatalogue,
): Promise<CatalogueTarget> {
  const { catalogueId: id, bounds, eventCount, lastRevision } = catalogue;
  const present = await baseOf(context, catalogue);
  return { ...present, id, nextVersion: lastRevision + 1, bounds, hasEvents: eventCount > 0 };
}

/**
 * A catalogue that nobody changes, when the read model shows it as it is.
 * @throws Refusal NOT_FOUND, PRECONDITION_FAILED, CONFLICT
 */
export async function editable(
  context: CommandContext,
  catalogueId: string,
  precondition: Precondition,
): Promise<ExistingCatalogue> {
  const loaded = await loadCatalogue(context, catalogueId);
  const { state } = loaded;
  requireTag(state, precondition);
  const catalogue = existing(state);
  if (catalogue.open) throw otherChange();
  await requireUndone(context, catalogueId, loaded);
  return catalogue;
}

type PlannedEdit = {
  readonly catalogue: ExistingCatalogue;
  readonly base: CatalogueTarget;
  readonly precondition: Precondition;
  readonly origin: EditOrigin;
};

/** Opens the revision with its first chunk: an edit without chunks makes no version. */
async function write(
  context: CommandContext,
  command: Command,
  edit: PlannedEdit,
  { chunks: all, totals, alongside }: RevisionContent,
): Promise<number> {
  const { worker, revisionsInProgress } = context;
  const { base, origin } = edit;
  const chunks = await peek(all);
  if (chunks === null) {
    const events = (await alongside?.(base.version)) ?? [];
    if (events.length === 0) return base.version;
    await changeCatalogue(context, command, base.id, (present) => {
      requireAsPlanned(present, edit);
      return events;
    });
    return base.version;
  }
  return revisionsInProgress.during(base.id, async () => {
    const { reason } = command;
    const { state } = await decideOnCatalogue(context, command, base.id, (present) => {
      requireAsPlanned(present, edit);
      return openRevision(present, { ...origin, worker, ...(reason && { reason }) });
    });
    const opened = existing(state);
    const position = await writeRevision(context, command, opened, { chunks, totals, alongside });
    await context.untilVisible("catalogues", position);
    return opened.lastRevision;
  });
}

/** @throws Refusal NOT_FOUND, PRECONDITION_FAILED; Outdated */
function requireAsPlanned(present: CatalogueState, { catalogue, precondition }: PlannedEdit): void {
  requireTag(present, precondition);
  // A revision that was abandoned meanwhile may have affected the planning too.
  if (existing(present).lastRevision !== catalogue.lastRevision) throw new Outdated();
}

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

/**
 * Appends the chunks of the open revision of `catalogue` to the log, several at a time, and the
 * frames of their bulletins to a stream beside them.
 * @returns what the log has of the revision, and the hash of the resulting version in hex
 */
export async function appendChunks(
  context: AppendContext,
  command: Command,
  { catalogueId, lastRevision, contentHash }: ExistingCatalogue,
  chunks: RevisionContent["chunks"],
): Promise<Pick<CommitRevision, "chunks" | "frames" | "contentHash">> {
  const appender = (stream: string, type: string) => createAppender(context, command, stream, type);
  const ofChunks = appender(revisionStream(catalogueId, lastRevision), CHUNK_EVENT);
  const ofFrames = appender(bulletinStream(catalogueId, lastRevision), FRAME_EVENT);
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

type AppendContext = Pick<CommandContext, "log" | "now" | "untilVisible">;

/** Appends by which the log may be ahead of the read model: what others write meanwhile is applied behind them. */
const AHEAD = 8;

/** Appends binary events to a stream that does not exist yet, not far ahead of their projection where that runs. */
function createAppender(
  { log, now, untilVisible }: AppendContext,
  { id: commandId, actor }: Command,
  stream: string,
  type: string,
) {
  const metadata = eventMetadata({ commandId, actor, at: now() }, type);
  let revision = NO_STREAM;
  let pending: NewEvent[] = [];
  let pendingBytes = 0;
  const unseen: Position[] = [];
  let isFollowed = true;
  const flush = async (): Promise<void> => {
    if (pending.length === 0) return;
    const appended = await appendSafely(log, stream, revision, pending);
    revision = appended.revision;
    pending = [];
    pendingBytes = 0;
    unseen.push(appended.position);
    if (unseen.length <= AHEAD) return;
    const oldest = unseen.shift() ?? null;
    if (isFollowed) isFollowed = await isVisible(untilVisible("catalogues", oldest));
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

/** The first error is the one reported: when abandoning fails too, the sweep will do it. */
async function abandonAfterFailure(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  revision: number,
  cause: unknown,
): Promise<void> {
  const reason = cause instanceof Error ? cause.name : "unknown";
  try {
    await abandonIfOpen(context, command, catalogueId, { revision, reason });
  } catch (error) {
    context.logger.warn({ err: error, catalogueId, revision }, "revision left open");
  }
}

/**
 * Abandons a revision if it is open.
 * @param worker that has opened it; absent for any
 * @returns position in the log; null when it was not open
 */
export async function abandonIfOpen(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  revision: AbandonRevision,
  worker?: string,
): Promise<Position | null> {
  const anew = { ...command, retried: false };
  const { position } = await decideOnCatalogue(context, anew, catalogueId, (state) => {
    const open = state.status === "existing" ? state.open : null;
    const isIt = open?.revision === revision.revision && open.worker === (worker ?? open.worker);
    return isIt ? abandonRevision(state, revision) : [];
  });
  return position;
}

/**
 * Abandons the open revisions of dead processes, so that their catalogues can be changed again. A
 * disconnected process that is still alive can no longer commit, since its revision is not open any
 * more. An import ends as failed, with its stored counts.
 * @returns the number of abandoned revisions
 */
export async function abandonRevisionsOfTheDead(
  context: CommandContext,
  presence: Pick<Presence, "alive">,
): Promise<number> {
  const { worker: own, revisionsInProgress } = context;
  const opened = await openRevisions(context.pool);
  const dead = await runsOfTheDead(opened, own, presence.alive, ({ catalogueId }) =>
    revisionsInProgress.has(catalogueId),
  );
  let abandoned = 0;
  for (const { catalogueId, ...open } of dead) {
    const command = { id: context.newId(), actor: "system" };
    const reason = "its worker is gone";
    if ((await cutOff(context, command, catalogueId, open, reason)) !== null) abandoned += 1;
  }
  return abandoned;
}

/** Abandons a revision if it is open still; an import keeps its stored counts. */
async function cutOff(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  { revision, worker }: { readonly revision: number; readonly worker: string },
  reason: string,
): Promise<Position | null> {
  const progress = createImportProgressStore(context.pool);
  const tally = await progress.find(catalogueId, revision);
  const unfinished = { revision, reason, ...(tally && { tally }) };
  const position = await abandonIfOpen(context, command, catalogueId, unfinished, worker);
  if (tally !== null) await progress.remove(catalogueId, revision);
  return position;
}

/** The state of an earlier run of a command that writes a revision. */
export type EarlierRun =
  | { readonly outcome: "none" }
  /** It opened a revision that is no longer open. */
  | { readonly outcome: "cut-off" }
  | {
      readonly outcome: "committed";
      readonly commit: CatalogueEventData<"RevisionCommitted">;
      readonly position: Position;
    };

/**
 * The result of an earlier run of `command` on a catalogue. Its unfinished revision is abandoned:
 * only one run of a command may continue, and if the earlier one is still alive, it can no longer
 * commit.
 */
export async function earlierRun(
  context: CommandContext,
  command: Command,
  catalogueId: string,
): Promise<EarlierRun> {
  if (!command.retried) return { outcome: "none" };
  const written = await eventsOfEarlierRun(context, command, catalogueId, "its run was cut off");
  for (const { event, position } of written) {
    if (event.type !== "RevisionCommitted") continue;
    return { outcome: "committed", commit: event.data, position };
  }
  const hasOpened = written.some(({ event }) => event.type === "RevisionOpened");
  return { outcome: hasOpened ? "cut-off" : "none" };
}

/**
 * The events that an earlier run of `command` has written to a catalogue's stream, in order. Its
 * unfinished revision is abandoned first; an import's keeps its stored counts.
 */
export async function eventsOfEarlierRun(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  reason: string,
): Promise<{ event: CatalogueEvent; position: Position }[]> {
  const read = async () => {
    const { revision } = await loadCatalogue(context, catalogueId);
    const stream = catalogueStream(catalogueId);
    const written = await eventsOfCommand(context, stream, revision, command.id);
    return written.map((recorded) => ({
      event: fromRecorded(recorded) as CatalogueEvent,
      position: recorded.position,
    }));
  };
  for (const { event } of await read()) {
    if (event.type !== "RevisionOpened") continue;
    await cutOff(context, command, catalogueId, event.data, reason);
  }
  // Read again, since from here on none of its revisions can be committed.
  return read();
}

export function createRevisionsInProgress(): RevisionsInProgress {
  const writers = new Map<string, number>();
  const count = (catalogueId: string, change: number): void => {
    const writing = (writers.get(catalogueId) ?? 0) + change;
    if (writing === 0) writers.delete(catalogueId);
    else writers.set(catalogueId, writing);
  };
  return {
    has: (catalogueId) => writers.has(catalogueId),
    during: async (catalogueId, work) => {
      count(catalogueId, 1);
      try {
        return await work();
      } finally {
        count(catalogueId, -1);
      }
    },
  };
}
