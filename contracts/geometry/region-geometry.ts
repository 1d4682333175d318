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
} from "./shape.ts";

/** Vertices of a saved region, at most, without the closing ones. */
export const MAX_REGION_VERTICES = 10_000;

/** The geometry of a saved region. */
export type RegionGeometry = AreaGeometry;

const POSITION = {
  type: "array",
  items: { type: "number" },
  minItems: 2,
  maxItems: 2,
  description: `longitude (to ±360, across the antimeridian) and latitude; of a whole geometry at most ${MAX_REGION_VERTICES}, without the closing ones`,
};
const RING = { type: "array", items: POSITION, minItems: MIN_RING };
const POLYGON = { type: "array", items: RING, minItems: 1 };
const AREA = { type: "array", items: POLYGON, minItems: 1 };

/** Checked up to the first fault: a schema of each number would tell of every one. */
function coordinates<C>(
  areaOf: (coordinates: unknown) => unknown,
  documented: Record<string, unknown>,
) {
  return z
    .custom<C>()
    .superRefine((value, { addIssue }) => {
      const fault = new Check().area(areaOf(value));
      if (fault !== null) addIssue({ code: "custom", message: fault });
    })
    .meta(documented);
}

export const RegionGeometry = z
  .discriminatedUnion("type", [
    z.object({
      type: z.literal("Polygon"),
      coordinates: coordinates<readonly Ring[]>((polygon) => [polygon], POLYGON),
    }),
    z.object({
      type: z.literal("MultiPolygon"),
      coordinates: coordinates<Area>((area) => area, AREA),
    }),
  ])
  .meta({ id: "RegionGeometry" }) as z.ZodType<RegionGeometry>;

class Check {
  #vertices = 0;

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
        : faultOfPosition(position);
    });
    if (fault !== null) return fault;
    this.#vertices -= 1;
    if (!isClosed(ring as Ring)) return "does not end where it begins";
    return (ring as Ring).length < MIN_RING ? `has fewer than ${MIN_RING} positions` : null;
  }
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

function faultOfPosition(position: unknown): string | null {
  if (!isPosition(position)) return "not longitude and latitude alone";
  return faultOfLongitude(position[0]) ?? faultOfLatitude(position[1]);
}

function isPosition(value: unknown): value is Position {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isFinite);
}
