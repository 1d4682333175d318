import { isDeepStrictEqual } from "node:util";
import { COLUMN_NAMES, type EventColumns, rowAt } from "#contracts/seismic-event/event-columns.ts";
import { idsOf } from "#contracts/seismic-event/public-id.ts";
import type { SeismicEvent, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { readKnownEvents } from "#projections/queries/known-events.ts";
import { createEventIdentifier } from "#services/domain/identity/identify-events.ts";
import { keepIdentity } from "#services/domain/identity/keep-identity.ts";
import { knownEvents } from "#services/domain/identity/known-events.ts";
import type { Command, CommandContext } from "../context.ts";
import type { BaseVersion, Edit } from "./edit.ts";
import { editCatalogue } from "./edit-catalogue.ts";
import type { Precondition } from "./precondition.ts";

/** Events that are looked up at once. */
const LOOKUP = 5_000;

export type AddEvents = {
  readonly events: EventColumns;
  /** Whether an event that is there already is replaced, or left as it is. */
  readonly updateExisting: boolean;
};

export type EventsAdded = {
  readonly version: number;
  readonly newEvents: number;
  readonly updatedEvents: number;
  readonly skippedEvents: number;
};

/**
 * Adds events to a catalogue; those that it has already are updated or skipped. Which those are, is told
 * by their ids (infra/decisions/0024).
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
  const identifier = createEventIdentifier();
  for (let start = 0; start < events.length; start += LOOKUP) {
    const records = rows(events, start, Math.min(start + LOOKUP, events.length));
    const known = knownEvents(await readKnownEvents(pool, base, records.map(idsOf)));
    for (const given of records) {
      const ids = identifier.take(idsOf(given));
      if (ids === null) continue;
      const identified = identifier.identify(ids, known);
      if (identified.outcome === "new") added.push({ ...given, source_id: identified.sourceId });
      if (identified.outcome !== "known" || !updateExisting) continue;
      const { id, ...before } = identified.event.event;
      const after = keepIdentity(given, identified.event);
      if (!sameRecord(before, after)) updated.push({ id, before, after });
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
