import type { Client } from "pg";
import { z } from "zod";

export type Filters = Readonly<Record<string, string>>;

/** Events of a narrow answer: as many whatever the size of the catalogue. */
const NARROW = 100;

const Window = z.tuple([z.object({ start: z.string(), end: z.string() })]);
const Box = z.tuple([z.object({ latitude: z.number(), longitude: z.number(), half: z.number() })]);

/**
 * What is asked for, by name. The two narrow ones are made to hold so many events of the catalogue
 * with this key.
 */
export async function filterKinds(database: Client, key: number) {
  return {
    "magnitude and box": {
      minMagnitude: "3",
      minLatitude: "-42",
      maxLatitude: "-38",
      minLongitude: "170",
      maxLongitude: "175",
    },
    circle: { latitude: "-41.3", longitude: "171", maxRadiusKm: "30" },
    "small box": await smallBox(database, key),
    "narrow time": await timesFrom(database, key, { from: "2019-01-01", count: NARROW }),
    "wide time": { startTime: "2017-01-01", endTime: "2020-12-31" },
    none: {},
  } satisfies Record<string, Filters>;
}

export type FilterKind = keyof Awaited<ReturnType<typeof filterKinds>>;

/** The times between which so many events lie, the first ones from a time on. */
export async function timesFrom(
  database: Client,
  key: number,
  { from, count }: { readonly from: string; readonly count: number },
): Promise<{ readonly startTime: string; readonly endTime: string }> {
  const { rows } = await database.query(
    `select to_char(min(time), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as start,
       to_char(max(time), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as end
     from (select time from read_model.seismic_events
           where catalogue_key = $1 and time >= $3 order by time limit $2)`,
    [key, count, from],
  );
  const [{ start, end }] = Window.parse(rows);
  return { startTime: start, endTime: end };
}

/** The square around the event in the middle of the catalogue's years that reaches so many others. */
async function smallBox(database: Client, key: number): Promise<Filters> {
  const { rows } = await database.query(
    `with centre as (
       select latitude, longitude from read_model.seismic_events
       where catalogue_key = $1 and time >= '2019-01-01' and longitude between 170 and 175
       order by time limit 1)
     select c.latitude, c.longitude,
       greatest(abs(e.latitude - c.latitude), abs(e.longitude - c.longitude)) as half
     from read_model.seismic_events e, centre c
     where catalogue_key = $1 order by half limit 1 offset $2`,
    [key, NARROW - 1],
  );
  const [{ latitude, longitude, half }] = Box.parse(rows);
  const text = (degrees: number): string => degrees.toFixed(9);
  return {
    minLatitude: text(latitude - half),
    maxLatitude: text(latitude + half),
    minLongitude: text(longitude - half),
    maxLongitude: text(longitude + half),
  };
}
