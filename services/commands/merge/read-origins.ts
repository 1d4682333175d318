import type { ClientBase } from "pg";
import { isoTime } from "#projections/queries/events/event-rows.ts";
import {
  ORIGIN_COLUMNS,
  orderedRows,
  type SourceVersion,
} from "#projections/queries/events/merge-sources.ts";
import { createTextColumnBuilder, type TextColumn } from "#services/domain/merge/columns.ts";
import { createOriginsBuilder, type Origins } from "#services/domain/merge/origins.ts";

/** All possible digits of a time, since rows are distinguished by microseconds. */
const TIME_DIGITS = 6;

/** The events of all sources by column, in the order of `orderedRows`. */
export type ReadOrigins = {
  readonly origins: Origins;
  /** NaN when missing. */
  readonly magnitudes: Float64Array;
  readonly sourceIds: TextColumn;
};

/** The columns of ORIGIN_COLUMNS. */
type OriginRow = readonly [
  source: string,
  id: string,
  time: string,
  latitude: string,
  longitude: string,
  magnitude: string | null,
  sourceId: string | null,
];

/** @throws Error when the number of rows differs from the versions' counts */
export async function readOrigins(
  client: ClientBase,
  sources: readonly SourceVersion[],
): Promise<ReadOrigins> {
  const count = sources.reduce((sum, { eventCount }) => sum + eventCount, 0);
  const builder = createOriginsBuilder(count);
  const magnitudes = new Float64Array(count);
  const sourceIds = createTextColumnBuilder(count);
  let length = 0;
  for await (const rows of orderedRows(client, sources, ORIGIN_COLUMNS)) {
    for (const row of rows) {
      const [source, id, time, latitude, longitude, magnitude, sourceId] =
        row as unknown as OriginRow;
      builder.push({
        source: Number(source),
        id,
        time: isoTime(time, TIME_DIGITS),
        latitude: Number(latitude),
        longitude: Number(longitude),
      });
      magnitudes[length] = magnitude === null ? Number.NaN : Number(magnitude);
      sourceIds.push(sourceId);
      length += 1;
    }
  }
  if (length !== count) throw new Error(`${length} of ${count} events were there`);
  return { origins: builder.finish(), magnitudes, sourceIds: sourceIds.finish() };
}
