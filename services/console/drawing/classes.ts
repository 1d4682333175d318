import { MINUS } from "#contracts/plots/numbers.ts";
import { DAY_MS, HOUR_MS } from "#contracts/units.ts";
import type { EventColumns } from "../model/event-columns.ts";
import type { WorkState } from "../model/work-state.ts";
import { AGES, GREY, SIX } from "./colours.ts";
import type { Colour } from "./discs.ts";

export type ColourBy = WorkState["colour"];
export type ColourScale = NonNullable<WorkState["scale"]>;

/** A class of events with its colour, as the legend tells it. */
export type ColourClass = { readonly label: string; readonly colour: Colour };

/** Every event's class, and what the classes are; the last is of what is not known. */
export type Classes = {
  readonly title: string;
  readonly classes: readonly ColourClass[];
  readonly classOf: Uint8Array;
};

const DEPTH_LIMITS = [15, 40, 70, 150, 300];
const MAGNITUDE_LIMITS = [2, 3, 4, 5, 6];
/** Azimuthal gaps, degrees: locations with more than 180° are outside their network. */
const GAP_LIMITS = [90, 120, 180, 240, 300];
const AGE_LIMITS = [HOUR_MS, DAY_MS, 7 * DAY_MS, 30 * DAY_MS];
const AGE_LABELS = ["last hour", "last day", "last week", "last month", "older"];

/** Above this share of events in one class, classes made for these events tell more. */
const CROWDED = 0.9;

/**
 * Classes of all events.
 * @param scale local: for depths, classes that hold about as many events each
 * @param now milliseconds since 1970, for ages
 */
export function classesOf(
  columns: EventColumns,
  colourBy: ColourBy,
  scale: ColourScale,
  now: number,
): Classes {
  const { magnitude, depth, time, count } = columns;
  switch (colourBy) {
    case "depth": {
      const limits = scale === "local" ? localLimits(depth, DEPTH_LIMITS) : DEPTH_LIMITS;
      return { title: "Depth, km", ...sixClasses(depth, limits) };
    }
    case "magnitude":
      return { title: "Magnitude", ...sixClasses(magnitude, MAGNITUDE_LIMITS) };
    case "quality": {
      const gaps = columns.numbers("azimuthal_gap") ?? new Float32Array(count).fill(NaN);
      return { title: "Azimuthal gap, °", ...sixClasses(gaps, GAP_LIMITS) };
    }
    case "age":
      return {
        title: "Age",
        classes: AGES.map((colour, i) => ({ label: AGE_LABELS[i] ?? "", colour })),
        classOf: classesIn(time, (at) => classIn(AGE_LIMITS, now - at)),
      };
  }
}

/** Local where almost all depths are in one class of the usual limits, so that local ones tell more. */
export function usualScale({ depth }: Pick<EventColumns, "depth">): ColourScale {
  const counts = new Array<number>(DEPTH_LIMITS.length + 1).fill(0);
  let known = 0;
  for (const value of depth) {
    if (Number.isNaN(value)) continue;
    known++;
    const at = classIn(DEPTH_LIMITS, value);
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return known > 0 && Math.max(...counts) >= CROWDED * known ? "local" : "global";
}

function sixClasses(values: Float32Array, limits: readonly number[]) {
  const unknown = limits.length + 1;
  // Fewer classes take colours from the whole range.
  const step = (SIX.length - 1) / limits.length;
  const classes = Array.from({ length: unknown }, (_, i) => ({
    label: labelOf(limits, i),
    colour: SIX[Math.round(i * step)] ?? GREY,
  }));
  return {
    classes: [...classes, { label: "unknown", colour: GREY }],
    classOf: classesIn(values, (value) => (Number.isNaN(value) ? unknown : classIn(limits, value))),
  };
}

function classesIn(values: Float32Array | Float64Array, classIn: (value: number) => number) {
  const classes = new Uint8Array(values.length);
  for (let i = 0; i < classes.length; i++) classes[i] = classIn(values[i] ?? Number.NaN);
  return classes;
}

/** How many of the limits a value reaches. */
function classIn(limits: readonly number[], value: number): number {
  let at = 0;
  while (at < limits.length && value >= (limits[at] ?? Number.POSITIVE_INFINITY)) at++;
  return at;
}

function labelOf(limits: readonly number[], i: number): string {
  const limit = (at: number) => String(limits[at]).replace("-", MINUS);
  if (i === 0) return `< ${limit(0)}`;
  if (i === limits.length) return `≥ ${limit(i - 1)}`;
  return `${limit(i - 1)}–${limit(i)}`;
}

/** Limits at which equal shares of the values end, in whole or tenth units; the usual ones without spread. */
function localLimits(values: Float32Array, usual: readonly number[]): readonly number[] {
  const known = values.filter((value) => !Number.isNaN(value)).sort();
  if (known.length < 2) return usual;
  const spread = (known.at(-1) ?? 0) - (known[0] ?? 0);
  const digits = spread >= 12 ? 0 : 1;
  const shares = usual.map((_, i) => known[Math.floor(((i + 1) * known.length) / SIX.length)] ?? 0);
  const limits = [...new Set(shares.map((value) => Number(value.toFixed(digits))))];
  return limits.length >= 2 ? limits : usual;
}
