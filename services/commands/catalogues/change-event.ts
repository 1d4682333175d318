import { type EventIds, idsOf } from "#contracts/seismic-event/public-id.ts";
import type { SeismicEvent, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { eventById, presentRevision } from "#projections/queries/edit-queries.ts";
import { readKnownEvents } from "#projections/queries/known-events.ts";
import { Refusal } from "#services/domain/errors.ts";
import { patchEvent } from "#services/domain/seismic-event/patch-event.ts";
import type { Command, CommandContext } from "../context.ts";
import { sameRecord } from "./add-events.ts";
import type { BaseVersion, Edit } from "./edit.ts";
import { editCatalogue } from "./edit-catalogue.ts";
import type { Precondition } from "./precondition.ts";

/**
 * Changes attributes of one event. A patch that changes nothing makes no version.
 * @returns the event as it is then, and the version that shows it
 * @throws Refusal not-found, conflict, precondition; InvalidPatch
 */
export async function changeEventCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  eventId: string,
  patch: Readonly<Record<string, unknown>>,
  precondition: Precondition,
): Promise<{ event: SeismicEvent; version: number }> {
  const { version, edit } = await editCatalogue(
    context,
    command,
    catalogueId,
    precondition,
    async (base) => {
      const { id, ...before } = await eventOf(context, base, eventId);
      const after = patchEvent(before, patch, { nowMs: context.now().getTime() });
      await requireFreeIds(context, base, before, after);
      const updated = sameRecord(before, after) ? [] : [{ id, before, after }];
      return { added: [], updated, removed: [], after: { id, ...after } };
    },
  );
  const event = edit ? edit.after : await eventAt(context, catalogueId, version, eventId);
  return { event, version };
}

/**
 * Removes one event; earlier versions keep it.
 * @throws Refusal not-found, conflict, precondition
 */
export async function removeEventCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  eventId: string,
  precondition: Precondition,
): Promise<{ version: number }> {
  const { version } = await editCatalogue(
    context,
    command,
    catalogueId,
    precondition,
    async (base): Promise<Edit> => {
      const { id, ...before } = await eventOf(context, base, eventId);
      return { added: [], updated: [], removed: [{ id, before }] };
    },
  );
  return { version };
}

async function eventAt(
  context: CommandContext,
  catalogueId: string,
  version: number,
  eventId: string,
): Promise<SeismicEvent> {
  const present = await presentRevision(context.pool, catalogueId);
  if (present === null) throw new Refusal("not-found", "Catalogue not found");
  return eventOf(context, { ...present, version }, eventId);
}

async function eventOf(
  { pool }: CommandContext,
  base: BaseVersion,
  eventId: string,
): Promise<SeismicEvent> {
  const event = await eventById(pool, base, eventId);
  if (event === null) throw new Refusal("not-found", "Event not found");
  return event;
}

/** A `source_id` and a public id each name one event of a catalogue. */
async function requireFreeIds(
  { pool }: CommandContext,
  base: BaseVersion,
  before: SeismicEventRecord,
  after: SeismicEventRecord,
): Promise<void> {
  const [had, has] = [idsOf(before), idsOf(after)];
  const sourceId = has.sourceId === had.sourceId ? null : has.sourceId;
  const publicId = has.publicId === had.publicId ? null : has.publicId;
  const changed: EventIds = { sourceId, publicId };
  for (const known of await readKnownEvents(pool, base, [changed])) {
    if (sourceId !== null && known.sourceId === sourceId) {
      throw new Refusal("conflict", "Another event of the catalogue has this source_id");
    }
    if (publicId !== null && known.publicId === publicId) {
      throw new Refusal("conflict", "Another event of the catalogue has this public id");
    }
  }
}
