import { commentId } from "#contracts/bulletin/own-members.ts";
import type { Bulletin, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { bulletinOfRow } from "#contracts/bulletin/row.ts";
import { Refusal } from "#contracts/errors.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import { readBulletin, readPieces } from "#projections/read/bulletins.ts";
import {
  type DeletedSolution,
  deletedBetween,
  type SolutionKind,
} from "#services/domain/bulletins/solution-changes.ts";
import type { PreferredChange } from "#services/domain/bulletins/view.ts";
import {
  type BulletinChange,
  type ChangedBulletin,
  changeStored,
  type MakeChange,
} from "../bulletins/worker.ts";
import { totalsAfter, useBegun } from "../changes/revision-changes.ts";
import type { Command, CommandContext } from "../context.ts";
import { editCatalogue, type PlanEdit } from "../revision.ts";
import type { Precondition } from "../streams.ts";
import type { GatewayThreads } from "../threads.ts";
import { changeOf, type EventPlace, editEvent, eventAt, eventOf } from "./commands.ts";
import type { SubmissionEnd } from "./worker.ts";

const EDIT = { cause: "edit" } as const;

type SetBulletinDeps = {
  readonly context: CommandContext;
  readonly threads: Pick<GatewayThreads, "submissions">;
};

/**
 * Gives an event a bulletin in the place of what it had, and makes its row the view of that. An equal
 * one makes no version.
 * @returns the event after the change, and the version that shows it
 * @throws Refusal NOT_FOUND, CONFLICT, PRECONDITION_FAILED, VALIDATION_ERROR
 */
export async function setBulletinCommand(
  { context, threads }: SetBulletinDeps,
  command: Command,
  { catalogueId, eventId }: EventPlace,
  { bytes, asker }: { readonly bytes: Buffer; readonly asker: Asker },
  precondition: Precondition,
) {
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
  return editEvent(context, command, { catalogueId, eventId }, precondition, plan);
}

/**
 * Removes an event's bulletin; its row stays. Without one there is no version.
 * @throws Refusal NOT_FOUND, CONFLICT, PRECONDITION_FAILED
 */
export async function removeBulletinCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  eventId: string,
  precondition: Precondition,
) {
  const plan: PlanEdit<number> = async (base, write) => {
    const { event, bulletin } = await eventOf(context, base, eventId);
    if (bulletin === null) return base.version;
    const { id, ...before } = event;
    return write(changeOf(context, base, { id, before, after: before }));
  };
  return editEvent(context, command, { catalogueId, eventId }, precondition, plan);
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
  context: CommandContext,
  command: Command,
  place: EventPlace,
  preferred: PreferredChange,
  precondition: Precondition,
  makeChange = changeStored,
): Promise<{ event: SeismicEvent; version: number }> {
  const plan: PlanChange = () => ({ kind: "prefer", preferred });
  const made = await changeBulletin(context, command, place, precondition, plan, makeChange);
  const { version } = made;
  if (!("isMadeBefore" in made)) return { event: made.event, version };
  return { event: await eventAt(context, place.catalogueId, version, place.eventId), version };
}

/**
 * Deletes a solution of an event's bulletin, and with `cascade` what is nothing without it.
 * @throws Refusal NOT_FOUND, PRECONDITION_FAILED, CONFLICT also while it is preferred or referred to
 */
export async function deleteSolutionCommand(
  context: CommandContext,
  command: Command,
  {
    kind,
    publicID,
    cascade,
    ...place
  }: EventPlace & {
    readonly kind: SolutionKind;
    readonly publicID: string;
    readonly cascade: boolean;
  },
  precondition: Precondition,
  makeChange = changeStored,
): Promise<{ version: number; deleted: DeletedSolution[] }> {
  const plan: PlanChange = ({ isStored }) => {
    if (!isStored) throw new Refusal("CONFLICT", "The event has no bulletin");
    return { kind: "delete", solution: { kind, publicID }, cascade };
  };
  const made = await changeBulletin(context, command, place, precondition, plan, makeChange);
  const { version } = made;
  if (!("isMadeBefore" in made)) return { version, deleted: [...made.deleted] };
  const { before, after } = await bulletinsAround(context, place, version);
  return { version, deleted: deletedBetween(before, after) };
}

/**
 * Adds a comment to an event's bulletin, which is made of the row where there is none.
 * @param author as the comment shows them
 * @throws Refusal NOT_FOUND, CONFLICT, PRECONDITION_FAILED
 */
export async function addCommentCommand(
  context: CommandContext,
  command: Command,
  { text, author, ...place }: EventPlace & { readonly text: string; readonly author: string },
  precondition: Precondition,
  makeChange = changeStored,
): Promise<{ version: number; comment: QuakemlObject<"Comment"> }> {
  let added: QuakemlObject<"Comment"> | undefined;
  const plan: PlanChange = ({ version, at: creationTime }) => {
    added = { id: commentId(place.eventId, version), text, creationInfo: { author, creationTime } };
    return { kind: "comment", comment: added };
  };
  const made = await changeBulletin(context, command, place, precondition, plan, makeChange);
  const { version } = made;
  if ("isMadeBefore" in made) {
    const { after } = await bulletinsAround(context, place, version);
    added = after.comment?.find(({ id }) => id === commentId(place.eventId, version));
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
  context: CommandContext,
  command: Command,
  { catalogueId, eventId }: EventPlace,
  precondition: Precondition,
  planChange: PlanChange,
  makeChange: MakeChange,
): Promise<BulletinChanged | { readonly version: number; readonly isMadeBefore: true }> {
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
  const edited = await editCatalogue(context, command, catalogueId, precondition, EDIT, plan);
  if (edited.outcome !== "planned") return { version: edited.version, isMadeBefore: true };
  const event = await eventAt(context, catalogueId, edited.result.version, eventId);
  return { ...edited.result, event };
}

/** An event's bulletins before and after a version, for a command whose earlier run has made that. */
async function bulletinsAround(
  context: CommandContext,
  { catalogueId, eventId }: EventPlace,
  version: number,
): Promise<{ readonly before: Bulletin; readonly after: Bulletin }> {
  const at = async (which: number): Promise<Bulletin> => {
    const event = await eventAt(context, catalogueId, which, eventId);
    const stored = await readBulletin(context.pool, catalogueId, event.id, which);
    return stored ?? bulletinOfRow(event);
  };
  return { before: await at(version - 1), after: await at(version) };
}
