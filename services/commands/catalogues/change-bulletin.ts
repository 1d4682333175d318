import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { bulletinOfRow } from "#contracts/bulletin/bulletin-of-row.ts";
import { Refusal } from "#contracts/errors.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { readBulletin } from "#projections/queries/bulletins/read-bulletin.ts";
import type { BulletinView } from "#services/domain/bulletin/bulletin-view.ts";
import { createBulletinView } from "../bulletins/bulletin-view.ts";
import { packedForEvent } from "../bulletins/packed-for-event.ts";
import type { Command, CommandContext } from "../context.ts";
import type { Precondition } from "./catalogue-decision.ts";
import { changeOf, eventAt, eventOf } from "./change-event.ts";
import { editCatalogue, type PlanEdit } from "./edit-catalogue.ts";

/** An event's bulletin before a change; one is made of the row where it has none. */
export type PresentBulletin = {
  readonly bulletin: Bulletin;
  readonly isStored: boolean;
  readonly view: BulletinView;
  /** The version of the catalogue that the change makes. */
  readonly version: number;
  /** ISO 8601 UTC. */
  readonly at: string;
};

/** What becomes of a bulletin; the same object for no change. */
export type ChangeBulletin = (present: PresentBulletin) => Bulletin;

export type ChangedBulletin = {
  readonly event: SeismicEvent;
  /** That which shows the event so. */
  readonly version: number;
  readonly before: Bulletin;
  readonly after: Bulletin;
};

const EDIT = { cause: "edit" } as const;

/**
 * Changes one event's bulletin, and makes its row the view of that. A change without any difference
 * makes no version.
 * @throws Refusal NOT_FOUND, CONFLICT, PRECONDITION_FAILED, VALIDATION_ERROR; refusals of `change`
 */
export async function changeBulletin(
  context: CommandContext,
  command: Command,
  { catalogueId, eventId }: { readonly catalogueId: string; readonly eventId: string },
  precondition: Precondition,
  change: ChangeBulletin,
): Promise<ChangedBulletin> {
  const bulletinOf = (event: SeismicEvent, version: number) =>
    readBulletin(context.pool, catalogueId, event.id, version);

  const plan: PlanEdit<ChangedBulletin> = async (base, write) => {
    const { event, bulletin: kept } = await eventOf(context, base, eventId);
    const stored = kept === null ? null : await bulletinOf(event, base.version);
    const now = context.now();
    const view = createBulletinView(now.getTime());
    const before = stored ?? bulletinOfRow(event);
    const isStored = stored !== null;
    const { nextVersion: version } = base;
    const after = change({ bulletin: before, isStored, view, version, at: now.toISOString() });
    const packed = after === before ? null : await packedForEvent(after);
    if (packed === null || packed.sha256 === kept?.sha256) {
      return { event, version: base.version, before, after: before };
    }
    const { id, ...record } = event;
    const viewed = view.row(after);
    if (viewed === null) throw new Refusal("VALIDATION_ERROR", "The event would have no place");
    const row = { ...record, ...viewed, source_id: record.source_id };
    const content = changeOf(context, base, { id, before: record, after: row, bulletin: packed });
    const made = await write(content);
    return { event: { id, ...row }, version: made, before, after };
  };
  const edited = await editCatalogue(context, command, catalogueId, precondition, EDIT, plan);
  const { version } = edited.outcome === "planned" ? edited.result : edited;
  const event = await eventAt(context, catalogueId, version, eventId);
  if (edited.outcome === "planned") return { ...edited.result, event };
  const former = await eventAt(context, catalogueId, version - 1, eventId);
  return {
    event,
    version,
    before: (await bulletinOf(former, version - 1)) ?? bulletinOfRow(former),
    after: (await bulletinOf(event, version)) ?? bulletinOfRow(event),
  };
}
