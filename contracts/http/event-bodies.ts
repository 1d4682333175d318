/** An event in bodies and answers, and the report on those that were submitted. */

import { z } from "zod";
import type { Bulletin } from "../bulletin/quakeml.ts";
import { BulletinBody } from "../bulletin/schema.ts";
import { ElementTalliesBody } from "../events/imports.ts";
import { bounded } from "../query/parameters.ts";
import { ATTRIBUTE_NAMES, ATTRIBUTES, type Attribute } from "../seismic-event/attributes.ts";
import { BulletinCounts } from "../seismic-event/bulletin-counts.ts";
import {
  GIVEN_GROUPS,
  type SourceEvent as MergedMemberData,
  type SeismicEvent,
  type ShownSourceEvent as SourceEventData,
} from "../seismic-event/seismic-event.ts";

function scalarSchema(attribute: Attribute): z.ZodType {
  const described = attribute.unit ? `${attribute.meaning} (${attribute.unit})` : attribute.meaning;
  switch (attribute.kind) {
    case "number":
    case "integer":
      return bounded(attribute.kind === "integer" ? z.int() : z.number(), attribute)
        .nullable()
        .describe(described);
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

const sourceShape = {
  catalogue_id: z.string(),
  event_id: z.string(),
  source_id: z.string().nullable(),
  source: z.string(),
  time_difference: z.number().describe("seconds"),
  distance: z.number().describe("kilometres"),
  quality_score: z.number(),
  chosen: z.boolean(),
  gave: z
    .array(z.enum(GIVEN_GROUPS))
    .optional()
    .describe("what the merged event has of it, where the merge chose each by itself; absent else"),
};

/** A member of an event that would be merged. */
export const MergedMember = z
  .object(sourceShape)
  .meta({ id: "MergedMember" }) satisfies z.ZodType<MergedMemberData>;

/** A member of a merged event. */
const SourceEvent = z
  .object({
    ...sourceShape,
    catalogue_id: z.string().nullable().describe("null where it is not there for the caller"),
    event_id: z.string().nullable(),
    source: z.string().nullable(),
  })
  .meta({ id: "SourceEvent" }) satisfies z.ZodType<SourceEventData>;

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

const bodyShape = {
  id: z.string(),
  ...recordShape,
  source_events: z.array(SourceEvent).optional().describe("members of a merged event"),
  bulletin_sha256: z
    .string()
    .optional()
    .describe("of the event's bulletin as RFC 8785 JSON; absent where it has none"),
  bulletin_counts: BulletinCounts.optional(),
  bulletin: BulletinBody.optional().describe("only where it is asked for"),
};

type EventBody = Omit<SeismicEvent, "source_events"> & {
  source_events?: SourceEventData[];
  bulletin?: Bulletin;
};

/** An event in the API's answers. */
export const SeismicEventBody = z
  .object(bodyShape)
  .meta({ id: "Event" }) as unknown as z.ZodType<EventBody>;

/** An event in lists: `source_events` only where they are asked for, their number always. */
export const ListedEventBody = z
  .object({
    ...bodyShape,
    source_count: z.int().min(1).describe("members of a merged event, 1 where it is not merged"),
  })
  .meta({ id: "ListedEvent" }) as unknown as z.ZodType<EventBody & { source_count: number }>;

/**
 * A submitted event: canonical names are documented, camelCase and the aliases of ATTRIBUTES are
 * understood, other members are kept under `extra`.
 */
const SubmittedAttributes = z
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

/** A submitted event with its bulletin; of what stands beside that only ids and `extra` are its own. */
const EventWithBulletin = z
  .looseObject({ bulletin: BulletinBody })
  .meta({ id: "EventWithBulletin" });

export const SubmittedEvent = z.union([SubmittedAttributes, EventWithBulletin]);

export const FieldError = z.object({ field: z.string(), message: z.string() });

export const InvalidEvent = z
  .object({
    index: z.int().describe("0-based place in the submission"),
    id: z.string().optional(),
    reason: z.string(),
    errors: z.array(FieldError),
  })
  .meta({ id: "InvalidEvent" });
export type InvalidEvent = z.infer<typeof InvalidEvent>;

/** Most invalid events listed in a validation report. */
export const MAX_REPORTED_INVALID = 100;

export const ValidationReport = z
  .object({
    totalSubmitted: z.int(),
    successfullyImported: z.int(),
    failedValidation: z.int(),
    successRate: z.number().min(0).max(100).describe("percent, two decimals"),
    invalidEvents: z.array(InvalidEvent).max(MAX_REPORTED_INVALID),
    hasMoreInvalidEvents: z.boolean(),
    elements: ElementTalliesBody.optional(),
  })
  .meta({ id: "ValidationReport" });
export type ValidationReport = z.infer<typeof ValidationReport>;
