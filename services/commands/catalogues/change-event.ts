import { Refusal } from "#contracts/errors.ts";
import { type EventIds, idsOf } from "#contracts/seismic-event/public-id.ts";
import type { SeismicEvent, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createChunkWriter, type EncodedChunk, type WrittenBulletin } from "#infra/log/chunks.ts";
import { readPieces } from "#projections/read/bulletins.ts";
import {
  eventById,
  type FoundEvent,
  presentRevision,
  readKnownEvents,
} from "#projections/read/edits.ts";
import type { RowEdit } from "#services/domain/bulletins/edits.ts";
import { changedNames } from "#services/domain/bulletins/view.ts";
import { touchedBounds } from "#services/domain/catalogues/catalogue.ts";
import { patchEvent } from "#services/domain/events/validation/patch-event.ts";
import { changeStored, type MakeChange } from "../bulletins/change-stored.ts";
import {
  type BaseVersion,
  type ChangeTarget,
  sameRecord,
  totalsAfter,
} from "../changes/revision-changes.ts";
import type { Command, CommandContext } from "../context.ts";
import type { Precondition } from "./catalogue-decision.ts";
import { editCatalogue, type PlanEdit } from "./edit-catalogue.ts";
import type { RevisionContent } from "./write-revision.ts";

const EDIT = { cause: "edit" } as const;

const NO_IDS: EventIds = { sourceId: null, publicId: null };

/**
 * Changes attributes of one event. A patch without any change makes no version.
 * @returns the event after the change, and the version that shows it
 * @throws Refusal NOT_FOUND, CONFLICT, PRECONDITION_FAILED, VALIDATION_ERROR
 */
export async function changeEventCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  eventId: string,
  patch: Readonly<Record<string, unknown>>,
  precondition: Precondition,
  makeChange = changeStored,
): Promise<{ event: SeismicEvent; version: number }> {
  const nowMs = context.now().getTime();
  const plan: PlanEdit<{ event: SeismicEvent; version: number }> = async (base, write) => {
    const found = await eventOf(context, base, eventId);
    const { id, ...before } = found.event;
    const after = patchEvent(before, patch, { nowMs });
    await requireFreeIds(context, base, before, after);
    if (sameRecord(before, after)) return { event: found.event, version: base.version };
    const edit = { eventId: id, before, after, version: base.nextVersion };
    const bulletin = await editedBulletinOf(
      context,
      catalogueId,
      base.version,
      found,
      edit,
      makeChange,
    );
    const version = await write(changeOf(context, base, { id, before, after, bulletin }));
    return { event: await eventAt(context, catalogueId, version, id), version };
  };
  const edited = await editCatalogue(context, command, catalogueId, precondition, EDIT, plan);
  if (edited.outcome === "planned") return edited.result;
  const { version } = edited;
  return { event: await eventAt(context, catalogueId, version, eventId), version };
}

/**
 * Removes one event; earlier versions keep it.
 * @throws Refusal NOT_FOUND, CONFLICT, PRECONDITION_FAILED
 */
export async function removeEventCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  eventId: string,
  precondition: Precondition,
): Promise<{ version: number }> {
  const plan: PlanEdit<{ version: number }> = async (base, write) => {
    const { event } = await eventOf(context, base, eventId);
    const { id, ...before } = event;
    return { version: await write(changeOf(context, base, { id, before, after: null })) };
  };
  const edited = await editCatalogue(context, command, catalogueId, precondition, EDIT, plan);
  return { version: edited.outcome === "planned" ? edited.result.version : edited.version };
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
export function changeOf(
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
export async function eventAt(
  context: CommandContext,
  catalogueId: string,
  version: number,
  eventId: string,
): Promise<SeismicEvent> {
  const present = await presentRevision(context.pool, catalogueId);
  if (present === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
  return (await eventOf(context, { ...present, version }, eventId)).event;
}

/** @throws Refusal NOT_FOUND */
export async function eventOf(
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
export async function requireFreeIds(
  { pool }: CommandContext,
  base: BaseVersion,
  before: SeismicEventRecord | null,
  after: SeismicEventRecord,
): Promise<void> {
  const had = before === null ? NO_IDS : idsOf(before);
  const has = idsOf(after);
  const sourceId = has.sourceId === had.sourceId ? null : has.sourceId;
  const publicId = has.publicId === had.publicId ? null : has.publicId;
  const changed: EventIds = { sourceId, publicId };
  for (const known of await readKnownEvents(pool, base, [changed])) {
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
  catalogueId: string,
  version: number,
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
