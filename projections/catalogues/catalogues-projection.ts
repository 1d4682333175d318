import {
  type CatalogueEvent,
  CHUNK_EVENT,
  catalogueEvents,
} from "#contracts/domain-events/catalogue-events.ts";
import { PROJECTIONS } from "#contracts/names.ts";
import { fromRecorded } from "#infra/event-log/domain-events.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import type { Projection, Transaction } from "../engine/projection.ts";
import { applyToCatalogue, clearCatalogueParked, markCatalogueParked } from "./catalogue-rows.ts";
import { applyToImports } from "./import-rows.ts";
import { applyChunks, applyToSeismicEvents, refreshStatistics } from "./seismic-event-rows.ts";
import { applyToVersions } from "./version-rows.ts";

/**
 * Catalogues, their versions, imports and seismic events: one projection, so that they agree in
 * every snapshot.
 */
export const cataloguesProjection: Projection = {
  name: PROJECTIONS.catalogues,
  tables: [
    { name: "catalogues", key: ["key"] },
    { name: "catalogue_versions", key: ["catalogue_key", "version"] },
    { name: "imports", key: ["id"] },
    { name: "seismic_events", key: ["catalogue_key", "event_id", "revision_from"] },
  ],
  types: [...Object.keys(catalogueEvents), CHUNK_EVENT],
  guardsLog: true,
  subject: catalogueIdOf,
  apply,
  refreshStatistics,
  markParked: markCatalogueParked,
  clearParked: clearCatalogueParked,
};

const PREFIX = "catalogue-".length;
const UUID_LENGTH = 36;

/** The catalogue of an event, whose id is part of the stream's name for both kinds of streams. */
function catalogueIdOf(event: RecordedEvent): string {
  return event.stream.slice(PREFIX, PREFIX + UUID_LENGTH);
}

async function apply(transaction: Transaction, events: readonly RecordedEvent[]): Promise<void> {
  let start = 0;
  while (start < events.length) {
    const end = endOfRun(events, start);
    const run = events.slice(start, end);
    const [first] = run;
    if (first?.type === CHUNK_EVENT) await applyChunks(transaction, catalogueIdOf(first), run);
    else if (first) await applyDecision(transaction, first);
    start = end;
  }
}

/** Consecutive chunks of one revision are applied together, by a single COPY. */
function endOfRun(events: readonly RecordedEvent[], start: number): number {
  const first = events[start];
  let end = start + 1;
  if (first?.type !== CHUNK_EVENT) return end;
  while (events[end]?.stream === first.stream) end += 1;
  return end;
}

async function applyDecision(transaction: Transaction, recorded: RecordedEvent): Promise<void> {
  // The subscription returns no other types.
  const event = fromRecorded(recorded) as CatalogueEvent;
  // Before the catalogue's row, which has the key by which the other rows are found.
  await applyToSeismicEvents(transaction, event);
  await applyToVersions(transaction, recorded, event);
  await applyToImports(transaction, recorded, event);
  await applyToCatalogue(transaction, recorded, event);
}
