import { commentId } from "#contracts/bulletin/own-members.ts";
import type { Bulletin, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { bulletinOfRow } from "#contracts/bulletin/row.ts";
import { invalid, Refusal } from "#contracts/errors.ts";
import type { ValidationReport } from "#contracts/http/event-bodies.ts";
import { idsOf } from "#contracts/seismic-event/public-ids.ts";
import type { SeismicEvent, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import { createChunkWriter, type EncodedChunk, type WrittenBulletin } from "#infra/log/chunks.ts";
import { readBulletin, readPieces } from "#projections/read/bulletins.ts";
import {
  eventById,
  type FoundEvent,
  placesOf,
  presentRevision,
  readKnownEvents,
} from "#projections/read/edits.ts";
import {
  type BulletinChange,
  type ChangedBulletin,
  changeStored,
  type MakeChange,
} from "../bulletins/worker.ts";
import type { RowsJoined } from "../changes/join-rows.ts";
import {
  type BaseVersion,
  type CatalogueTarget,
  type Changes,
  type ChangeTarget,
  type ChunkStream,
  sameRecord,
  totalsAfter,
  useBegun,
} from "../changes/revision-changes.ts";
import type { CommandContext } from "../context.ts";
import type { RowEdit } from "../domain/bulletins/edits.ts";
import {
  changedNames,
  type DeletedSolution,
  deletedBetween,
  type PreferredChange,
  type SolutionKind,
} from "../domain/bulletins/view.ts";
import { touchedBounds } from "../domain/catalogues/catalogue.ts";
import { patchEvent } from "../domain/events/validation/validate-event.ts";
import { versionOf } from "../domain/versions.ts";
import {
  type Edit,
  type EditOrigin,
  editCatalogue,
  latestTarget,
  type PlanEdit,
  type RevisionContent,
} from "../revision.ts";
import type { GatewayThreads } from "../threads.ts";
import type { VersionHistories } from "../versions/history.ts";
import type { SubmissionBegin, SubmissionEnd } from "./worker.ts";

/** Given events, or rows about events that are there; they can be compared with a catalogue repeatedly. */
export type Additions = {
  /** Passes the changes that they make to `use`. */
  readonly against: <T>(
    target: CatalogueTarget,
    use: (compared: ChunkStream<SubmissionEnd>) => Promise<T>,
  ) => Promise<T>;
};

export type EventsAdded = {
  readonly version: number;
  readonly newEvents: number;
  readonly updatedEvents: number;
  readonly skippedEvents: number;
  readonly report: ValidationReport | null;
} & Partial<Pick<RowsJoined, "warnings" | "unmatched" | "unmatchedCount">>;

type AddedEvents = SubmissionEnd & Pick<EventsAdded, "version">;

/**
 * Adds events to a catalogue; events that it has already, by their ids, are updated or skipped
 * (infra/decisions/0024). Rows that are joined add to events that are there.
 * @throws Refusal NOT_FOUND, CONFLICT, PRECONDITION_FAILED
 */
export async function addEventsCommand(edit: Edit, additions: Additions): Promise<EventsAdded> {
  const { context, catalogueId } = edit;
  const plan: PlanEdit<AddedEvents> = (base, write) =>
    additions.against(base, async ({ chunks, end }) => {
      const totals = async () => totalsAfter(context, base, (await end()).changes);
      const version = await write({ chunks, totals });
      return { version, ...(await end()) };
    });
  const edited = await editCatalogue(edit, EDIT, plan);
  if (edited.outcome === "planned") return added(edited.result.changes, edited.result);
  const { version } = edited;
  return additions.against(await latestTarget(context, catalogueId), async ({ end }) =>
    added(edited, { ...(await end()), version }),
  );
}

function added(
  { added: newEvents, updated: updatedEvents }: Pick<Changes, "added" | "updated">,
  { version, report, joined }: Omit<AddedEvents, "changes">,
): EventsAdded {
  const events = joined?.events ?? report?.successfullyImported ?? 0;
  const skippedEvents = events - newEvents - updatedEvents;
  const result = { version, newEvents, updatedEvents, skippedEvents, report };
  if (joined === undefined) return result;
  const { warnings, unmatched, unmatchedCount } = joined;
  return { ...result, ...(warnings.length > 0 && { warnings }), unmatched, unmatchedCount };
}

const EDIT = { cause: "edit" } as const;

type ShownEvent = { readonly event: SeismicEvent; readonly version: number };

/** An edit of one event. */
type EventEdit = Edit & { readonly eventId: string };

/** Edits one event. @returns it as the version shows it that `plan`, or an earlier run of the command, has made */
async function editEvent(
  edit: EventEdit,
  plan: PlanEdit<number>,
  origin: EditOrigin = EDIT,
): Promise<ShownEvent> {
  const edited = await editCatalogue(edit, origin, plan);
  const version = edited.outcome === "planned" ? edited.result : edited.version;
  return { event: await eventAt(edit, version), version };
}

/**
 * Changes attributes of one event. A patch without any change makes no version.
 * @returns the event after the change, and the version that shows it
 * @throws Refusal NOT_FOUND, CONFLICT, PRECONDITION_FAILED, VALIDATION_ERROR
 */
export async function changeEventCommand(
  edit: EventEdit,
  patch: Readonly<Record<string, unknown>>,
  makeChange = changeStored,
): Promise<ShownEvent> {
  const { context, catalogueId, eventId } = edit;
  const nowMs = context.now().getTime();
  const plan: PlanEdit<number> = async (base, write) => {
    const found = await eventOf(context, base, eventId);
    const { id, ...before } = found.event;
    const after = patchEvent(before, patch, { nowMs });
    await requireFreeIds(context, base, before, after);
    if (sameRecord(before, after)) return base.version;
    const row = { eventId: id, before, after, version: base.nextVersion };
    const place = { catalogueId, version: base.version };
    const bulletin = await editedBulletinOf(context, place, found, row, makeChange);
    return write(changeOf(context, base, { id, before, after, bulletin }));
  };
  return editEvent(edit, plan);
}

/**
 * Removes one event; earlier versions keep it.
 * @throws Refusal NOT_FOUND, CONFLICT, PRECONDITION_FAILED
 */
export async function removeEventCommand(edit: EventEdit): Promise<{ version: number }> {
  const { context, eventId } = edit;
  const plan: PlanEdit<number> = async (base, write) => {
    const { event } = await eventOf(context, base, eventId);
    const { id, ...before } = event;
    return write(changeOf(context, base, { id, before, after: null }));
  };
  const edited = await editCatalogue(edit, EDIT, plan);
  return { version: edited.outcome === "planned" ? edited.result : edited.version };
}

/** What becomes of one event: null before where it comes back, null after where it is removed. */
type OneChange = {
  readonly id: string;
  readonly before: SeismicEventRecord | null;
  readonly after: SeismicEventRecord | null;
  /** What it has afterwards. */
  readonly bulletin?: WrittenBulletin | null;
};

/** The content of a revision with one change. */
function changeOf(
  context: CommandContext,
  base: ChangeTarget,
  { id, before, after, bulletin = null }: OneChange,
): RevisionContent {
  const writer = createChunkWriter();
  const chunk = written(writer, { id, before, after, bulletin }) ?? writer.finish();
  const changes = {
    ...writer.counts(),
    bounds: writer.bounds(),
    touched: before === null ? [] : touchedBounds(base.bounds, before),
    goneIds: [id],
  };
  return {
    chunks: chunk === null ? [] : [chunk],
    totals: () => totalsAfter(context, base, changes),
  };
}

function written(
  writer: ReturnType<typeof createChunkWriter>,
  { id, before, after, bulletin = null }: OneChange,
): EncodedChunk | null {
  if (after === null) return writer.remove(id);
  return before === null ? writer.restore(id, after, bulletin) : writer.update(id, after, bulletin);
}

/** @throws Refusal NOT_FOUND */
async function eventAt(
  { context, catalogueId, eventId }: EventEdit,
  version: number,
): Promise<SeismicEvent> {
  const present = await presentRevision(context.pool, catalogueId);
  if (present === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
  return (await eventOf(context, { ...present, version }, eventId)).event;
}

/** @throws Refusal NOT_FOUND */
async function eventOf(
  { pool }: CommandContext,
  base: BaseVersion,
  eventId: string,
): Promise<FoundEvent> {
  const event = await eventById(pool, base, eventId);
  if (event === null) throw new Refusal("NOT_FOUND", "Event not found");
  return event;
}

/**
 * Refuses a `source_id` or public id of another event: each identifies one event of a catalogue.
 * @param before null for an event that the catalogue does not have
 * @throws Refusal CONFLICT
 */
async function requireFreeIds(
  { pool }: CommandContext,
  base: BaseVersion,
  before: SeismicEventRecord | null,
  after: SeismicEventRecord,
): Promise<void> {
  const had = before && idsOf(before);
  const has = idsOf(after);
  const sourceId = has.sourceId === had?.sourceId ? null : has.sourceId;
  const publicId = has.publicId === had?.publicId ? null : has.publicId;
  for (const known of await readKnownEvents(pool, base, [{ sourceId, publicId }])) {
    if (sourceId !== null && known.sourceId === sourceId) {
      throw new Refusal("CONFLICT", "Another event of the catalogue has this source_id");
    }
    if (publicId !== null && known.publicId === publicId) {
      throw new Refusal("CONFLICT", "Another event of the catalogue has this public id");
    }
  }
}

/**
 * The bulletin of an event after an edit of its row: another one, or the same where the edit is not of
 * what a bulletin says. Null for an event without one.
 * @throws Refusal VALIDATION_ERROR for one beyond the limits
 */
async function editedBulletinOf(
  { pool, now }: Pick<CommandContext, "pool" | "now">,
  { catalogueId, version }: { readonly catalogueId: string; readonly version: number },
  { event, bulletin: kept }: FoundEvent,
  edit: Omit<RowEdit, "at">,
  makeChange: MakeChange,
): Promise<WrittenBulletin | null> {
  if (kept === null || changedNames(edit.before, edit.after).size === 0) return kept;
  const source = await readPieces(pool, catalogueId, event.id, version);
  if (source === null) throw new Error(`the bulletin of event ${event.id} is not there`);
  const at = now();
  const change = { kind: "edit", edit: { ...edit, at: at.toISOString() } } as const;
  const changed = await makeChange({ source, change, nowMs: at.getTime() });
  return changed?.packed ?? kept;
}

/**
 * Removes events by one version; earlier versions keep them. Without events there is none.
 * @param eventIds in lower case; those given twice count once
 * @throws Refusal NOT_FOUND where one is not in the latest version: then none is removed; CONFLICT,
 * PRECONDITION_FAILED
 */
export async function removeEventsCommand(
  edit: Edit,
  eventIds: readonly string[],
): Promise<{ version: number; removed: number }> {
  const { context } = edit;
  const ids = [...new Set(eventIds)];
  const plan: PlanEdit<number> = async (base, write) => {
    const places = await placesOf(context.pool, base, ids);
    const there = new Set(places.map(({ id }) => id));
    const missing = ids.find((id) => !there.has(id));
    if (missing !== undefined) throw new Refusal("NOT_FOUND", `Event ${missing} not found`);
    return write(removalOf(context, base, places));
  };
  const edited = await editCatalogue(edit, EDIT, plan);
  const version = edited.outcome === "planned" ? edited.result : edited.version;
  return { version, removed: ids.length };
}

/** The content of a revision that removes events. */
function removalOf(
  context: CommandContext,
  base: ChangeTarget,
  places: Awaited<ReturnType<typeof placesOf>>,
): RevisionContent {
  const writer = createChunkWriter();
  function* chunks(): Generator<EncodedChunk> {
    for (const { id } of places) {
      const chunk = writer.remove(id);
      if (chunk !== null) yield chunk;
    }
    const chunk = writer.finish();
    if (chunk !== null) yield chunk;
  }
  return {
    chunks: chunks(),
    totals: () =>
      totalsAfter(context, base, {
        ...writer.counts(),
        bounds: writer.bounds(),
        touched: [...new Set(places.flatMap((place) => touchedBounds(base.bounds, place)))],
        goneIds: places.map(({ id }) => id),
      }),
  };
}

/**
 * Makes one event as it was in an earlier version, with its bulletin or without one; a removed event comes
 * back under its id. Where it is so already there is no version.
 * @param restores the version that has the event as it is to be
 * @returns the event, and the version that shows it so
 * @throws Refusal NOT_FOUND, PRECONDITION_FAILED, CONFLICT also where another event has its ids now
 */
export async function restoreEventCommand(
  versionHistories: VersionHistories,
  edit: EventEdit,
  restores: number,
): Promise<ShownEvent> {
  const { context, catalogueId, eventId } = edit;
  const history = await versionHistories.read(catalogueId);
  if (!history || !versionOf(history, restores)) {
    throw new Refusal("NOT_FOUND", "There is no such version");
  }
  const { pool } = context;
  const plan: PlanEdit<number> = async (base, write) => {
    const former = await eventById(pool, { ...base, version: restores }, eventId);
    if (former === null) throw new Refusal("NOT_FOUND", "The version does not have the event");
    const present = await eventById(pool, base, eventId);
    const { id, ...after } = former.event;
    const before = present?.event ?? null;
    const isSame = present?.bulletin?.sha256 === former.bulletin?.sha256;
    if (before !== null && isSame && sameRecord(before, after)) return base.version;
    await requireFreeIds(context, base, before, after);
    return write(changeOf(context, base, { id, before, after, bulletin: former.bulletin }));
  };
  const origin = { cause: "edit", restores } as const;
  return editEvent(edit, plan, origin);
}

/** A body being read: the envelope is known, the events come as chunks. */
export type ChunkedSubmission = SubmissionBegin & ChunkStream<SubmissionEnd>;

/** A body, and the user who sent it: an upload that it names must be that user's. */
export type SubmittedBody = { readonly bytes: Buffer; readonly owner: string };

export type SubmissionDeps = {
  readonly context: CommandContext;
  readonly threads: Pick<GatewayThreads, "submissions">;
  readonly maxEventsPerRequest: number;
};

/**
 * Passes the changes that the body's events make in `target` to `use`, in chunks; chunks that are
 * not read are not made. The same body may be passed again.
 * @param target null for a new catalogue
 * @throws Refusal INVALID_JSON, TOO_MANY_EVENTS, UNAVAILABLE; of an upload NOT_FOUND,
 * VALIDATION_ERROR; errors of `use`
 */
export function useSubmission<T>(
  { context, threads, maxEventsPerRequest: maxEvents }: SubmissionDeps,
  body: SubmittedBody,
  target: CatalogueTarget | null,
  asker: Asker,
  use: (submission: ChunkedSubmission) => Promise<T>,
): Promise<T> {
  const task = { ...body, maxEvents, target, nowMs: context.now().getTime() };
  return useBegun(threads.submissions.stream("streamChunks", task, asker), use);
}

/** @throws Refusal VALIDATION_ERROR for a body without a list of events */
export function requireEvents<T>(events: T | null): T {
  if (events !== null) return events;
  throw invalid(
    "events",
    "must be a list of events, or uploadId must name a kept upload in its place",
  );
}

/**
 * The report of an acceptable submission: with no events, or with at least one valid event.
 * @throws Refusal VALIDATION_ERROR, ALL_EVENTS_INVALID with the invalid events as details
 */
export function requireSomeValid(submission: ValidationReport | null): ValidationReport {
  const report = requireEvents(submission);
  if (report.totalSubmitted > 0 && report.successfullyImported === 0) {
    throw new Refusal("ALL_EVENTS_INVALID", undefined, { details: report.invalidEvents });
  }
  return report;
}

/**
 * Gives an event a bulletin in the place of what it had, and makes its row the view of that. An equal
 * one makes no version.
 * @returns the event after the change, and the version that shows it
 * @throws Refusal NOT_FOUND, CONFLICT, PRECONDITION_FAILED, VALIDATION_ERROR
 */
export async function setBulletinCommand(
  threads: Pick<GatewayThreads, "submissions">,
  edit: EventEdit,
  { bytes, asker }: { readonly bytes: Buffer; readonly asker: Asker },
) {
  const { context, eventId } = edit;
  const plan: PlanEdit<number> = async (base, write) => {
    await eventOf(context, base, eventId);
    const task = { bytes, eventId, target: base, nowMs: context.now().getTime() };
    const submitted = threads.submissions.stream("streamReplacement", task, asker);
    return useBegun(submitted, async ({ chunks, end }) => {
      const totals = async () => totalsAfter(context, base, (await end()).changes);
      const version = await write({ chunks, totals });
      requireValid((await end()).report);
      return version;
    });
  };
  return editEvent(edit, plan);
}

/**
 * Removes an event's bulletin; its row stays. Without one there is no version.
 * @throws Refusal NOT_FOUND, CONFLICT, PRECONDITION_FAILED
 */
export async function removeBulletinCommand(edit: EventEdit) {
  const { context, eventId } = edit;
  const plan: PlanEdit<number> = async (base, write) => {
    const { event, bulletin } = await eventOf(context, base, eventId);
    if (bulletin === null) return base.version;
    const { id, ...before } = event;
    return write(changeOf(context, base, { id, before, after: before }));
  };
  return editEvent(edit, plan);
}

/** @throws Refusal VALIDATION_ERROR with what is wrong */
function requireValid(report: SubmissionEnd["report"]): void {
  const [invalid] = report?.invalidEvents ?? [];
  if (invalid === undefined) return;
  throw new Refusal("VALIDATION_ERROR", invalid.reason, { details: invalid.errors });
}

/**
 * Prefers other solutions of an event; its row follows.
 * @throws Refusal NOT_FOUND, PRECONDITION_FAILED, CONFLICT also for an id that is not there
 */
export async function preferSolutionsCommand(
  edit: EventEdit,
  preferred: PreferredChange,
  makeChange = changeStored,
): Promise<{ event: SeismicEvent; version: number }> {
  const plan: PlanChange = () => ({ kind: "prefer", preferred });
  const made = await changeBulletin(edit, plan, makeChange);
  const { version } = made;
  if (!("isMadeBefore" in made)) return { event: made.event, version };
  return { event: await eventAt(edit, version), version };
}

/**
 * Deletes a solution of an event's bulletin, and with `cascade` what is nothing without it.
 * @throws Refusal NOT_FOUND, PRECONDITION_FAILED, CONFLICT also while it is preferred or referred to
 */
export async function deleteSolutionCommand(
  edit: EventEdit,
  solution: { readonly kind: SolutionKind; readonly publicID: string },
  cascade: boolean,
  makeChange = changeStored,
): Promise<{ version: number; deleted: DeletedSolution[] }> {
  const plan: PlanChange = ({ isStored }) => {
    if (!isStored) throw new Refusal("CONFLICT", "The event has no bulletin");
    return { kind: "delete", solution, cascade };
  };
  const made = await changeBulletin(edit, plan, makeChange);
  const { version } = made;
  if (!("isMadeBefore" in made)) return { version, deleted: [...made.deleted] };
  const { before, after } = await bulletinsAround(edit, version);
  return { version, deleted: deletedBetween(before, after) };
}

/**
 * Adds a comment to an event's bulletin, which is made of the row where there is none.
 * @param author as the comment shows them
 * @throws Refusal NOT_FOUND, CONFLICT, PRECONDITION_FAILED
 */
export async function addCommentCommand(
  edit: EventEdit,
  { text, author }: { readonly text: string; readonly author: string },
  makeChange = changeStored,
): Promise<{ version: number; comment: QuakemlObject<"Comment"> }> {
  let added: QuakemlObject<"Comment"> | undefined;
  const plan: PlanChange = ({ version, at: creationTime }) => {
    added = { id: commentId(edit.eventId, version), text, creationInfo: { author, creationTime } };
    return { kind: "comment", comment: added };
  };
  const made = await changeBulletin(edit, plan, makeChange);
  const { version } = made;
  if ("isMadeBefore" in made) {
    const { after } = await bulletinsAround(edit, version);
    added = after.comment?.find(({ id }) => id === commentId(edit.eventId, version));
  }
  if (added === undefined) throw new Error("the comment is not in its version");
  return { version, comment: added };
}

/** An event's bulletin before a change; one is made of the row where it has none. */
type PresentBulletin = {
  readonly isStored: boolean;
  /** The version of the catalogue that the change makes. */
  readonly version: number;
  /** ISO 8601 UTC. */
  readonly at: string;
};

/** What becomes of a bulletin. */
type PlanChange = (present: PresentBulletin) => BulletinChange;

type BulletinChanged = Pick<ChangedBulletin, "deleted"> & {
  readonly event: SeismicEvent;
  /** That which shows the event so. */
  readonly version: number;
};

/**
 * Changes one event's bulletin, and makes its row the view of that. A change without any difference
 * makes no version.
 * @throws Refusal NOT_FOUND, CONFLICT, PRECONDITION_FAILED, VALIDATION_ERROR; refusals of `planChange`
 */
async function changeBulletin(
  edit: EventEdit,
  planChange: PlanChange,
  makeChange: MakeChange,
): Promise<BulletinChanged | { readonly version: number; readonly isMadeBefore: true }> {
  const { context, catalogueId, eventId } = edit;
  const plan: PlanEdit<BulletinChanged> = async (base, write) => {
    const { event, bulletin: kept } = await eventOf(context, base, eventId);
    const stored =
      kept === null ? null : await readPieces(context.pool, catalogueId, event.id, base.version);
    const now = context.now();
    const isStored = stored !== null;
    const { nextVersion: version } = base;
    const change = planChange({ isStored, version, at: now.toISOString() });
    const source = stored ?? bulletinOfRow(event);
    const changed = await makeChange({ source, change, nowMs: now.getTime() });
    // A row has one solution of each kind, and no bulletin is made of it to prefer that.
    const isNeeded = isStored || change.kind !== "prefer";
    if (changed === null || !isNeeded || changed.packed.sha256 === kept?.sha256) {
      return { event, version: base.version, deleted: [] };
    }
    const { packed, row: viewed, deleted } = changed;
    if (viewed === null) throw new Refusal("VALIDATION_ERROR", "The event would have no place");
    const { id, ...record } = event;
    const row = { ...record, ...viewed, source_id: record.source_id };
    const content = changeOf(context, base, { id, before: record, after: row, bulletin: packed });
    const made = await write(content);
    return { event: { id, ...row }, version: made, deleted };
  };
  const edited = await editCatalogue(edit, EDIT, plan);
  if (edited.outcome !== "planned") return { version: edited.version, isMadeBefore: true };
  const event = await eventAt(edit, edited.result.version);
  return { ...edited.result, event };
}

/** An event's bulletins before and after a version, for a command whose earlier run has made that. */
async function bulletinsAround(edit: EventEdit, version: number) {
  const at = async (which: number): Promise<Bulletin> => {
    const event = await eventAt(edit, which);
    const stored = await readBulletin(edit.context.pool, edit.catalogueId, event.id, which);
    return stored ?? bulletinOfRow(event);
  };
  return { before: await at(version - 1), after: await at(version) };
}
