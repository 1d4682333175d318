import type { ColumnName, ScalarName } from "#contracts/http/events.ts";

/** Events by column, newest first; every array has `count` values, NaN where one is unknown. */
export type EventColumns = {
  readonly version: number;
  readonly count: number;
  /** How many there are, where these are the largest of them. */
  readonly total?: number | undefined;
  /** Milliseconds since 1970, UTC, with a fraction. */
  readonly time: Float64Array;
  /** Degrees. */
  readonly latitude: Float32Array;
  /** Degrees, −180 to 180. */
  readonly longitude: Float32Array;
  /** Kilometres, positive downwards. */
  readonly depth: Float32Array;
  readonly magnitude: Float32Array;
  readonly idOf: (index: number) => string;
  /** Where the event of an id is; null without it. */
  readonly indexOf: (id: string | null) => number | null;
  /** A column of numbers beyond these, if it was asked for. */
  readonly numbers: (name: ColumnName) => Float32Array | undefined;
  /** A value of a column of texts; null where unknown or not asked for. */
  readonly textOf: (name: ScalarName, index: number) => string | null;
};

/** Where an event was, with the name of its region where the columns have one. */
export function locatedAt({ latitude, longitude, textOf }: EventColumns, index: number) {
  return {
    latitude: latitude[index] ?? 0,
    longitude: longitude[index] ?? 0,
    region: textOf("region", index),
  };
}

/** A number of single precision as it was before it was packed: it has about seven digits. */
export function asWritten(packed: number): number {
  return Number(packed.toPrecision(7));
}

/** When an event was, ISO 8601 in UTC. */
export function timeAt({ time }: EventColumns, index: number): string {
  return new Date(time[index] ?? 0).toISOString();
}

type Placed = {
  readonly id: string;
  readonly time: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly depth: number | null;
  readonly magnitude: number | null;
  readonly region?: string | null;
};

/** A few events as columns, in the order in which they come: the first is drawn on top. */
export function columnsOfEvents(version: number, events: readonly Placed[]): EventColumns {
  const numbers = (name: "latitude" | "longitude" | "depth" | "magnitude") =>
    Float32Array.from(events, (event) => event[name] ?? Number.NaN);
  return {
    version,
    count: events.length,
    time: Float64Array.from(events, ({ time }) => Date.parse(time)),
    latitude: numbers("latitude"),
    longitude: numbers("longitude"),
    depth: numbers("depth"),
    magnitude: numbers("magnitude"),
    idOf: (index) => events[index]?.id ?? "",
    indexOf: (id) => {
      const at = events.findIndex((event) => event.id === id);
      return at < 0 ? null : at;
    },
    numbers: () => undefined,
    textOf: (name, index) => (name === "region" ? (events[index]?.region ?? null) : null),
  };
}

/** The page of an event, as it is at a version or now. */
export function addressOfEvent(catalogue: string, event: string, asOf?: string | number): string {
  const address = `/catalogues/${catalogue}/events/${event}`;
  return asOf === undefined ? address : `${address}?asOf=${encodeURIComponent(asOf)}`;
}
