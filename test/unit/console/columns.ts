import type { EventColumns } from "#services/console/model/event-columns.ts";

type Given = {
  readonly [Name in "time" | "latitude" | "longitude" | "depth" | "magnitude"]?: readonly (
    | number
    | null
  )[];
};

/** Columns with the given values; zeros in those that are not given. */
export function columnsOf(given: Given): EventColumns {
  const count = Math.max(...Object.values(given).map((values) => values.length));
  const numbers = (values: Given["depth"]) =>
    Float32Array.from({ length: count }, (_, i) => (values ? (values[i] ?? Number.NaN) : 0));
  return {
    version: 1,
    count,
    time: Float64Array.from({ length: count }, (_, i) => given.time?.[i] ?? 0),
    latitude: numbers(given.latitude),
    longitude: numbers(given.longitude),
    depth: numbers(given.depth),
    magnitude: numbers(given.magnitude),
    idOf: String,
    indexOf: (id) => (id === null ? null : Number(id)),
    numbers: () => undefined,
    textOf: () => null,
  };
}
