import type { ClientBase } from "pg";
import { sql } from "slonik";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import type { TextRow } from "#infra/postgres/copy/text-copy.ts";
import { type AnalysisSelection, selectedEvents } from "./selection.ts";

/** Columns of the rows of `eventPositions`, as texts; the time in milliseconds since 1970. */
export const POSITION = {
  id: 0,
  time: 1,
  latitude: 2,
  longitude: 3,
  depth: 4,
  magnitude: 5,
} as const;

/** Where, when and how large the events of a selection are that have a magnitude, by time, then id. */
export function eventPositions(
  client: ClientBase,
  selection: AnalysisSelection,
): AsyncGenerator<TextRow[]> {
  return copyRows(
    client,
    sql.fragment`
      select event_id, extract(epoch from time) * 1000, latitude, longitude, depth, magnitude
      from ${selectedEvents(selection)} and magnitude is not null
      order by time, event_id`,
  );
}
