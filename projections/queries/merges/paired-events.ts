import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { isoTime } from "../events/copied-event.ts";
import { rowsOf } from "../events/resolve-version.ts";

const Row = z.object({
  event_id: z.uuid(),
  source_id: z.string().nullable(),
  time: z.string(),
  time_digits: z.int(),
  latitude: z.number(),
  longitude: z.number(),
  depth: z.number().nullable(),
  magnitude: z.number().nullable(),
});

/** An event of a source, as far as a pair shows it. */
export type PairedEvent = Omit<z.infer<typeof Row>, "time_digits">;

/** Those of some events that a version has, by id. */
export async function pairedEvents(
  pool: Pick<CommonQueryMethods, "any">,
  version: { readonly key: number; readonly version: number },
  eventIds: readonly string[],
): Promise<Map<string, PairedEvent>> {
  const rows = await pool.any(sql.type(Row)`
    select event_id, source_id, time::text, time_digits, latitude, longitude, depth, magnitude
    from read_model.seismic_events
    where ${rowsOf(version)} and event_id = any(${sql.array([...eventIds], "uuid")})`);
  return new Map(
    rows.map(({ time, time_digits: digits, ...event }) => [
      event.event_id,
      { ...event, time: isoTime(time, digits) },
    ]),
  );
}
