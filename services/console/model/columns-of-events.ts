import type { EventColumns } from "./event-columns.ts";

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
