import { z } from "zod";
import { RegionGeometry, SubmittedGeometry } from "../events/regions.ts";
import { longListShape, nextCursor } from "../query/parameters.ts";
import { operation, Success } from "./operation.ts";

/** In characters. */
export const REGION_LIMITS = { name: 100, note: 1000 } as const;

const described = {
  id: z.uuid(),
  name: z.string(),
  note: z.string().nullable(),
  bbox: z
    .array(z.number())
    .describe("west, south, east, north; a west above the east: across the antimeridian"),
  vertices: z.int().describe("without those that close rings"),
  created_at: z.string(),
  created_by: z.string().describe("user id"),
  updated_at: z.string(),
  updated_by: z.string().describe("user id"),
};

export const Region = z.object({ ...described, geometry: RegionGeometry }).meta({ id: "Region" });
export type Region = z.infer<typeof Region>;

const ListedRegion = z
  .object({ ...described, geometry: RegionGeometry.optional() })
  .meta({ id: "ListedRegion" });
export type ListedRegion = z.infer<typeof ListedRegion>;

const oneRegion = z.object({ region: Region });

const name = z.string().describe(`one line of at most ${REGION_LIMITS.name} characters`);
const geometry = SubmittedGeometry.describe(
  "a Polygon or a MultiPolygon, longitude before latitude, or a Feature that has one",
);
const note = z.string().max(REGION_LIMITS.note).nullable().describe("what it is, in words");

export const listRegions = operation("GET", "/api/regions", {
  summary: "The saved regions, newest first",
  access: "viewer",
  query: z.strictObject({
    geometry: z
      .enum(["true", "false"])
      .default("true")
      .describe("false: without their geometries, which may be large"),
    ...longListShape,
  }),
  answer: z.object({ regions: z.array(ListedRegion), nextCursor }),
});

export const getRegion = operation("GET", "/api/regions/:id", {
  summary: "One saved region",
  access: "viewer",
  answer: oneRegion,
});

export const createRegion = operation("POST", "/api/regions", {
  summary: "Save a region, which everybody may then name as a filter",
  access: "editor",
  body: z.object({ name, geometry, note: note.default(null) }),
  example: {
    name: "Cook Strait",
    geometry: {
      type: "Polygon",
      coordinates: [
        [
          [173.5, -42],
          [175.5, -42],
          [175.5, -40.5],
          [173.5, -40.5],
          [173.5, -42],
        ],
      ],
    },
    note: "Between the North and the South Island",
  },
  status: 201,
  answer: oneRegion,
  errors: ["MISSING_NAME"],
});

export const updateRegion = operation("PATCH", "/api/regions/:id", {
  summary: "Change a region, also for the schedules that import by it",
  access: "editor",
  body: z.object({ name, geometry, note }).partial(),
  example: { name: "Cook Strait and Marlborough" },
  answer: oneRegion,
  errors: ["MISSING_NAME"],
});

export const deleteRegion = operation("DELETE", "/api/regions/:id", {
  summary: "Delete a region that no schedule imports by",
  access: "editor",
  answer: Success,
  errors: ["CONFLICT"],
});
