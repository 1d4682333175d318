import { isDeepStrictEqual } from "node:util";
import { COLUMN_NAMES, type EventColumns, rowAt } from "#contracts/seismic-event/event-columns.ts";
import type { SeismicEvent, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { eventsBySourceId } from "#projections/queries/edit-queries.ts";
import type { Command, CommandContext } from "../context.ts";
import type { BaseVersion, Edit } from "./edit.ts";
import { editCatalogue } from "./edit-catalogue.ts";
import type { Precondition } from "./precondition.ts";

/** Source ids that are looked up in one query. */
const LOOKUP = 5_000;

export type AddEvents = {
  readonly events: EventColumns;
  /** Whether an event whose `source_id` is there already replaces it, or is skipped. */
  readonly updateExisting: boolean;
};

export type EventsAdded = {
  readonly version: number;
  readonly newEvents: number;
  readonly updatedEvents: number;
  readonly skippedEvents: number;
};

/**
 * Adds events to a catalogue; those whose `source_id` it has already are updated or skipped.
 * @throws Refusal not-found, conflict, precondition
 */
export async function addEventsCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  { events, updateExisting }: AddEvents,
  precondition: Precondition,
): Promise<EventsAdded> {
  const {
    version,
    added: newEvents,
    updated: updatedEvents,
  } = await editCatalogue(context, command, catalogueId, precondition, (base) =>
    planAdding(context, base, events, updateExisting),
  );
  const skippedEvents = events.length - newEvents - updatedEvents;
  return { version, newEvents, updatedEvents, skippedEvents };
}

async function planAdding(
  { pool }: CommandContext,
  base: BaseVersion,
  events: EventColumns,
  updateExisting: boolean,
): Promise<Edit> {
  const added: SeismicEventRecord[] = [];
  const updated: { id: string; before: SeismicEventRecord; after: SeismicEventRecord }[] = [];
  for (let start = 0; start < events.length; start += LOOKUP) {
    const records = rows(events, start, Math.min(start + LOOKUP, events.length));
    const sourceIds = records.flatMap(({ source_id: id }) => (id === null ? [] : [id]));
    const present = await eventsBySourceId(pool, base, sourceIds);
    for (const after of records) {
      const found = after.source_id === null ? undefined : present.get(after.source_id);
      if (found === undefined) added.push(after);
      else if (updateExisting) {
        const { id, ...before } = found;
        if (!sameRecord(before, after)) updated.push({ id, before, after });
      }
    }
  }
  return { added, updated, removed: [] };
}

function rows(events: EventColumns, start: number, end: number): SeismicEventRecord[] {
  return Array.from({ length: end - start }, (_, i) => rowAt(events, start + i));
}

/** Whether two records say the same; a time written with other digits is another time to its readers. */
export function sameRecord(
  a: SeismicEventRecord | SeismicEvent,
  b: SeismicEventRecord | SeismicEvent,
): boolean {
  return COLUMN_NAMES.every(
    (name) =>
      a[name] === b[name] || (typeof a[name] === "object" && isDeepStrictEqual(a[name], b[name])),
  );
}
