import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { bulletinOfRow } from "#contracts/bulletin/bulletin-of-row.ts";
import { Refusal } from "#contracts/errors.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { readBulletin, readPieces } from "#projections/queries/bulletins/read-bulletin.ts";
import type { BulletinChange, ChangedBulletin, MakeChange } from "../bulletins/change-stored.ts";
import type { Command, CommandContext } from "../context.ts";
import type { Precondition } from "./catalogue-decision.ts";
import { changeOf, eventAt, eventOf } from "./change-event.ts";
import { editCatalogue, type PlanEdit } from "./edit-catalogue.ts";

/** An event's bulletin before a change; one is made of the row where it has none. */
export type PresentBulletin = {
  readonly isStored: boolean;
  /** The version of the catalogue that the change makes. */
  readonly version: number;
  /** ISO 8601 UTC. */
  readonly at: string;
};

/** What becomes of a bulletin. */
export type PlanChange = (present: PresentBulletin) => BulletinChange;

export type BulletinChanged = Pick<ChangedBulletin, "deleted"> & {
  readonly event: SeismicEvent;
  /** That which shows the event so. */
  readonly version: number;
};

export type BulletinPlace = { readonly catalogueId: string; readonly eventId: string };

const EDIT = { cause: "edit" } as const;

/**
 * Changes one event's bulletin, and makes its row the view of that. A change without any difference
 * makes no version.
 * @throws Refusal NOT_FOUND, CONFLICT, PRECONDITION_FAILED, VALIDATION_ERROR; refusals of `planChange`
 */
export async function changeBulletin(
  context: CommandContext,
  command: Command,
  { catalogueId, eventId }: BulletinPlace,
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
export async function bulletinsAround(
  context: CommandContext,
  { catalogueId, eventId }: BulletinPlace,
  version: number,
): Promise<{ readonly before: Bulletin; readonly after: Bulletin }> {
  const at = async (which: number): Promise<Bulletin> => {
    const event = await eventAt(context, catalogueId, which, eventId);
    const stored = await readBulletin(context.pool, catalogueId, event.id, which);
    return stored ?? bulletinOfRow(event);
  };
  return { before: await at(version - 1), after: await at(version) };
}
