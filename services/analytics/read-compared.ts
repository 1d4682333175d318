import type { ClientBase } from "pg";
import type { ComparedCatalogue } from "#contracts/http/analytics/comparison.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { isoTime } from "#projections/queries/events/copied-event.ts";
import {
  type ResolvedVersion,
  requirePresent,
} from "#projections/queries/events/resolve-version.ts";
import { orderedRows } from "#projections/queries/merges/merge-sources.ts";
import { createOriginsBuilder } from "#services/domain/merge/origins.ts";
import type { ComparedEvents } from "#services/domain/statistics/comparison/compared-events.ts";

/** A version of a catalogue to be compared. */
export type ComparedVersion = Pick<ResolvedVersion, "id" | "key" | "version" | "eventCount">;

const COLUMNS = [
  "source",
  "event_id",
  "time",
  "latitude",
  "longitude",
  "depth",
  "depth_type",
  "magnitude",
  "magnitude_type",
] as const;

/** The columns. */
type ComparedRow = readonly [
  source: string,
  id: string,
  time: string,
  latitude: string,
  longitude: string,
  depth: string | null,
  depthType: string | null,
  magnitude: string | null,
  magnitudeType: string | null,
];

const TIME_DIGITS = 6;
/** Such a depth was set, not determined. */
const FIXED = "operator assigned";

export type ReadCompared = {
  readonly events: ComparedEvents;
  readonly catalogues: readonly ComparedCatalogue[];
};

/**
 * The events of both versions by column, in order of time.
 * @param client in a transaction with isolation REPEATABLE READ
 * @param onBatch called with the number of events read so far
 * @throws Refusal NOT_FOUND where a catalogue is gone
 */
export async function* readCompared(
  client: ClientBase,
  versions: readonly ComparedVersion[],
): AsyncGenerator<number, ReadCompared> {
  for (const version of versions) await requirePresent(statementsOn(client), version);
  const count = versions.reduce((sum, { eventCount }) => sum + eventCount, 0);
  const origins = createOriginsBuilder(count);
  const depths = new Float64Array(count).fill(Number.NaN);
  const magnitudes = new Float64Array(count).fill(Number.NaN);
  const types = new Int32Array(count);
  const typeNames = new Map<string | null, number>();
  const catalogues = versions.map(({ id, version }) => emptyCatalogue(id, version));
  let length = 0;
  for await (const rows of orderedRows(client, versions, COLUMNS)) {
    for (const row of rows) {
      const [source, id, text, latitude, longitude, depth, depthType, magnitude, type] =
        row as unknown as ComparedRow;
      const time = isoTime(text, TIME_DIGITS);
      const place = { latitude: Number(latitude), longitude: Number(longitude) };
      origins.push({ source: Number(source), id, time, ...place });
      if (depth !== null && depthType !== FIXED) depths[length] = Number(depth);
      if (magnitude !== null) magnitudes[length] = Number(magnitude);
      types[length] = typeNames.get(type) ?? typeNames.size;
      if (!typeNames.has(type)) typeNames.set(type, typeNames.size);
      const catalogue = catalogues[Number(source)];
      if (catalogue !== undefined) addTo(catalogue, time, magnitude);
      length += 1;
    }
    yield length;
  }
  if (length !== count) throw new Error(`${length} of ${count} events were there`);
  const events = { origins: origins.finish(), depths, magnitudes, types };
  return { events: { ...events, typeNames: [...typeNames.keys()] }, catalogues };
}

function emptyCatalogue(catalogue: string, version: number): ComparedCatalogue {
  return { catalogue, version, events: 0, withoutMagnitude: 0, start: null, end: null };
}

/** Adds an event, not earlier than those before. */
function addTo(catalogue: ComparedCatalogue, time: string, magnitude: string | null): void {
  catalogue.events += 1;
  if (magnitude === null) catalogue.withoutMagnitude += 1;
  catalogue.start ??= time;
  catalogue.end = time;
}
