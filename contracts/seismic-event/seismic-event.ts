import { z } from "zod";
import { ATTRIBUTE_NAMES, ATTRIBUTES, type Attribute, type AttributeName } from "./attributes.ts";

type ScalarOf<A extends Attribute> = A["kind"] extends "number" | "integer"
  ? number
  : A extends { values: readonly (infer V)[] }
    ? V
    : string;

type Scalars = {
  -readonly [N in AttributeName]: ScalarOf<(typeof ATTRIBUTES)[N]> | null;
};

/** Provenance of a merged event: one entry per member of its group. */
export const SourceEvent = z
  .object({
    catalogue_id: z.string(),
    event_id: z.string(),
    source_id: z.string().nullable(),
    source: z.string(),
    time_difference: z.number().describe("seconds"),
    distance: z.number().describe("kilometres"),
    quality_score: z.number(),
    chosen: z.boolean(),
  })
  .meta({ id: "SourceEvent" });
export type SourceEvent = z.infer<typeof SourceEvent>;

export type JsonObject = { [key: string]: JsonValue };
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** Whether a JSON value is an object: neither null nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The data of one seismic event, without its identity. `time` is ISO 8601 UTC with `Z` and zero to
 * six fractional digits, exactly as given. Latitude and longitude are always present, other
 * attributes may be null. Units are those of ATTRIBUTES.
 */
export type SeismicEventRecord = Omit<Scalars, "latitude" | "longitude"> & {
  time: string;
  latitude: number;
  longitude: number;
  focal_mechanisms: JsonObject[] | null;
  extra: JsonObject | null;
  source_events: SourceEvent[] | null;
};

/** An event of a catalogue: `id` is ours and the same in all versions of the catalogue. */
export type SeismicEvent = { id: string } & SeismicEventRecord;

/** Readers copy this once per event, which is measurably faster than setting thirty members. */
const NOTHING_KNOWN = {
  time: "",
  ...(Object.fromEntries(ATTRIBUTE_NAMES.map((name) => [name, null])) as Scalars),
  focal_mechanisms: null,
  extra: null,
  source_events: null,
};

/** A record with only the required origin; readers and tests start from it. */
export function emptyRecord(
  origin: Pick<SeismicEventRecord, "time" | "latitude" | "longitude">,
): SeismicEventRecord {
  return { ...NOTHING_KNOWN, ...origin };
}

function scalarSchema(attribute: Attribute): z.ZodType {
  const described = attribute.unit ? `${attribute.meaning} (${attribute.unit})` : attribute.meaning;
  switch (attribute.kind) {
    case "number":
    case "integer": {
      let number = attribute.kind === "integer" ? z.int() : z.number();
      if (attribute.min !== undefined) number = number.min(attribute.min);
      if (attribute.max !== undefined) number = number.max(attribute.max);
      return number.nullable().describe(described);
    }
    case "text":
      return z
        .string()
        .max(attribute.maxLength ?? 255)
        .nullable()
        .describe(described);
    case "enumeration":
      return z
        .enum((attribute.values ?? []) as [string, ...string[]])
        .nullable()
        .describe(described);
  }
}

const scalarShape = Object.fromEntries(
  ATTRIBUTE_NAMES.map((name) => [name, scalarSchema(ATTRIBUTES[name])]),
);

const Structure = z.record(z.string(), z.unknown());

const recordShape = {
  time: z.string().describe("origin time, ISO 8601 UTC, up to microseconds"),
  ...scalarShape,
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
  focal_mechanisms: z
    .array(Structure)
    .nullable()
    .describe("QuakeML focal mechanisms with plain numbers"),
  extra: Structure.nullable().describe("further attributes, as given"),
};

/** An event in the API's answers. */
export const SeismicEventBody = z
  .object({
    id: z.string(),
    ...recordShape,
    source_events: z.array(SourceEvent).optional().describe("members of a merged event"),
  })
  .meta({ id: "Event" }) as unknown as z.ZodType<
  Omit<SeismicEvent, "source_events"> & { source_events?: SourceEvent[] }
>;

/**
 * A submitted event: canonical names are documented, camelCase and the aliases of ATTRIBUTES are
 * understood, other members are kept under `extra`.
 */
export const SubmittedEvent = z
  .looseObject({
    time: z.string().describe("ISO 8601; without a zone it is UTC"),
    latitude: z.number().min(-90).max(90),
    longitude: z.number().min(-180).max(360),
    magnitude: z.number().min(-3).max(10).nullable().describe("null where it is not known"),
    ...Object.fromEntries(
      Object.entries(scalarShape)
        .filter(([name]) => !["latitude", "longitude", "magnitude"].includes(name))
        .map(([name, schema]) => [name, schema.optional()]),
    ),
    focal_mechanisms: z.array(Structure).nullable().optional(),
  })
  .meta({ id: "SubmittedEvent" });
