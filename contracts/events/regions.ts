import { z } from "zod";
import {
  type Area,
  type AreaGeometry,
  faultOfLatitude,
  faultOfLongitude,
  isClosed,
  MIN_RING,
  type Position,
  type Ring,
} from "../geometry/shape.ts";
import type { EventOf } from "./log.ts";

/** Vertices of a saved region, at most, without the closing ones. */
export const MAX_REGION_VERTICES = 10_000;

/** The geometry of a saved region. */
export type RegionGeometry = AreaGeometry;

type Numbers = 2 | 3;

function position(most: Numbers) {
  const names = most === 2 ? "and latitude" : "latitude and perhaps a height, which is left out";
  return {
    type: "array",
    items: { type: "number" },
    minItems: 2,
    maxItems: most,
    description: `longitude (to ±360, across the antimeridian) ${names}; of a whole geometry at most ${MAX_REGION_VERTICES}, without the closing ones`,
  };
}

/** Checked up to the first fault: a schema of each number would tell of every one. */
function coordinates<C>(
  most: Numbers,
  areaOf: (coordinates: unknown) => unknown,
  documented: Record<string, unknown>,
) {
  return z
    .custom<C>()
    .superRefine((value, { addIssue }) => {
      const fault = new Check(most).area(areaOf(value));
      if (fault !== null) addIssue({ code: "custom", message: fault });
    })
    .meta(documented);
}

/** @param most numbers of a position */
function areas(most: Numbers) {
  const ring = { type: "array", items: position(most), minItems: MIN_RING };
  const polygon = { type: "array", items: ring, minItems: 1 };
  const area = { type: "array", items: polygon, minItems: 1 };
  return [
    z.object({
      type: z.literal("Polygon"),
      coordinates: coordinates<readonly Ring[]>(most, (one) => [one], polygon),
    }),
    z.object({
      type: z.literal("MultiPolygon"),
      coordinates: coordinates<Area>(most, (all) => all, area),
    }),
  ] as const;
}

class Check {
  readonly #most: Numbers;
  #vertices = 0;

  constructor(most: Numbers) {
    this.#most = most;
  }

  /** The first fault in words, with the place of its position; null without any. */
  area(area: unknown): string | null {
    return firstFault("polygon", area, (polygon) =>
      firstFault("ring", polygon, (ring) => this.#ring(ring)),
    );
  }

  #ring(ring: unknown): string | null {
    const fault = firstFault("position", ring, (position) => {
      this.#vertices += 1;
      return this.#vertices > MAX_REGION_VERTICES + 1
        ? `more than ${MAX_REGION_VERTICES} vertices`
        : faultOfPosition(position, this.#most);
    });
    if (fault !== null) return fault;
    this.#vertices -= 1;
    if (!isClosed(ring as Ring)) return "does not end where it begins";
    return (ring as Ring).length < MIN_RING ? `has fewer than ${MIN_RING} positions` : null;
  }
}

export const RegionGeometry = z
  .discriminatedUnion("type", areas(2))
  .meta({ id: "RegionGeometry" }) as z.ZodType<RegionGeometry>;

/** As it may be submitted: with heights, and as a Feature. */
export const SubmittedGeometry = z.discriminatedUnion("type", [
  ...areas(3),
  // Of a Feature the geometry is meant, whatever else it has.
  z.looseObject({ type: z.literal("Feature"), geometry: z.discriminatedUnion("type", areas(3)) }),
]);
export type SubmittedGeometry = z.output<typeof SubmittedGeometry>;

/** The geometry that is saved of a submitted one, and whether there were heights. */
export function withoutHeights(given: SubmittedGeometry) {
  const { type, coordinates: all } = given.type === "Feature" ? given.geometry : given;
  let hadHeights = false;
  const flatRing = (ring: Ring): Ring =>
    ring.map((place) => {
      hadHeights ||= place.length > 2;
      return [place[0], place[1]];
    });
  const geometry: RegionGeometry =
    type === "Polygon"
      ? { type, coordinates: all.map(flatRing) }
      : { type, coordinates: all.map((polygon) => polygon.map(flatRing)) };
  return { geometry, hadHeights };
}

function firstFault(
  name: string,
  members: unknown,
  faultOf: (member: unknown) => string | null,
): string | null {
  if (!Array.isArray(members)) return `no list of ${name}s`;
  if (members.length === 0) return `an empty list of ${name}s`;
  for (const [i, member] of members.entries()) {
    const fault = faultOf(member);
    if (fault !== null) return `${name} ${i + 1}: ${fault}`;
  }
  return null;
}

function faultOfPosition(position: unknown, most: Numbers): string | null {
  if (!isPosition(position, most)) {
    return most === 2
      ? "not longitude and latitude alone"
      : "not longitude, latitude and perhaps a height";
  }
  return faultOfLongitude(position[0]) ?? faultOfLatitude(position[1]);
}

function isPosition(value: unknown, most: Numbers): value is Position {
  const isSized = Array.isArray(value) && value.length >= 2 && value.length <= most;
  return isSized && value.every(Number.isFinite);
}

const regionId = z.uuid();

/** What a region is, beside its id. */
export const RegionSettings = z.object({
  name: z.string(),
  geometry: RegionGeometry,
  /** Null for none. */
  note: z.string().nullable(),
});
export type RegionSettings = z.infer<typeof RegionSettings>;

/** Events of the stream `region-<id>`. The settings are whole. */
export const regionEvents = {
  RegionCreated: z.object({ regionId, settings: RegionSettings }),
  RegionChanged: z.object({ regionId, settings: RegionSettings }),
  RegionDeleted: z.object({ regionId }),
} as const;

export type RegionEvent = EventOf<typeof regionEvents>;
