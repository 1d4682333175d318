import { z } from "zod";
import { BulletinBody, CommentBody } from "../bulletin/schema.ts";
import {
  type BulletinTable,
  columnsOfTable,
  type NamedColumn,
  type TableColumnKind,
} from "../bulletin/tables.ts";
import { asOf, queryList, reason, WriteQuery } from "../query/parameters.ts";
import { BULLETIN_PARTS } from "../seismic-event/bulletin-objects.ts";
import { SeismicEventBody } from "./event-bodies.ts";
import { QuakemlForm } from "./exports.ts";
import { CatalogueParams, Id, operation, sharedAt } from "./operation.ts";

/** The kinds that a list names, in any case. */
const parts = queryList(`kinds of objects: ${BULLETIN_PARTS.join(", ")}; default all`)
  .transform((names, context) => {
    const kinds = names.map((name) => BULLETIN_PARTS.find((kind) => kind.toLowerCase() === name));
    if (kinds.includes(undefined)) {
      context.addIssue({ code: "custom", message: `expected ${BULLETIN_PARTS.join(", ")}` });
    }
    return kinds.filter((kind) => kind !== undefined);
  })
  .pipe(z.array(z.enum(BULLETIN_PARTS)));

const BulletinFormat = z.enum(["json", "quakeml", "isf"]);
export type BulletinFormat = z.output<typeof BulletinFormat>;

const EVENT = "/api/catalogues/:id/events/:eventId";

export const getBulletin = operation("GET", `${EVENT}/bulletin`, {
  summary: "All that was said of one event: its bulletin, or one that is made of its row",
  access: "readers",
  alsoAt: sharedAt("/events/:eventId/bulletin"),
  caching: "revalidated",
  query: z.strictObject({
    format: BulletinFormat.optional().describe(
      "without it the media type of Accept decides; default json",
    ),
    form: QuakemlForm.optional().describe("of quakeml: as in exports"),
    parts: parts.optional(),
    asOf,
  }),
  answer: z.object({
    bulletin: BulletinBody,
    version: z.int(),
    source: z.enum(["bulletin", "row"]).describe("row: made of the row, where there is none"),
  }),
  alsoAs: ["application/xml", "text/plain; charset=utf-8"],
});

const Changed = z.object({ event: SeismicEventBody, version: z.int() });

export const setBulletin = operation("PUT", `${EVENT}/bulletin`, {
  summary: "Give an event a bulletin in the place of what it had; its row becomes the view of it",
  access: "editor",
  query: WriteQuery,
  body: "bytes",
  documentedBody: z.object({ bulletin: BulletinBody }),
  example: {
    bulletin: {
      publicID: "smi:example.org/event/kaikoura",
      type: "earthquake",
      preferredOriginID: "smi:example.org/origin/1",
      preferredMagnitudeID: "smi:example.org/magnitude/mw",
      origin: [
        {
          publicID: "smi:example.org/origin/1",
          time: { value: "2016-11-13T11:02:56.346Z", uncertainty: 0.2 },
          latitude: { value: -42.69 },
          longitude: { value: 173.02 },
          depth: { value: 15_100 },
        },
      ],
      magnitude: [
        { publicID: "smi:example.org/magnitude/mw", mag: { value: 7.8 }, type: "Mw" },
        { publicID: "smi:example.org/magnitude/ml", mag: { value: 6.6 }, type: "ML" },
      ],
    },
  },
  answer: Changed,
  errors: ["CONFLICT", "PRECONDITION_FAILED"],
});

export const removeBulletin = operation("DELETE", `${EVENT}/bulletin`, {
  summary: "Remove an event's bulletin; the row stays, and earlier versions keep it",
  access: "editor",
  query: WriteQuery,
  answer: Changed,
  errors: ["CONFLICT", "PRECONDITION_FAILED"],
});

/** All others are texts. */
const KINDS: Partial<Record<TableColumnKind, z.ZodType>> = {
  number: z.number(),
  integer: z.int(),
  flag: z.boolean(),
};

/** A row of a table in JSON. */
function rowOf(table: BulletinTable) {
  const members = columnsOfTable(table).map((column) => [column.name, schemaOf(column)]);
  return z.object(Object.fromEntries(members) as Record<string, z.ZodType>);
}

function schemaOf({ kind, unit, isRequired }: NamedColumn): z.ZodType {
  const value = KINDS[kind] ?? z.string();
  const schema = isRequired ? value : value.nullable();
  return unit === undefined ? schema : schema.describe(unit);
}

export const getArrivals = operation("GET", `${EVENT}/arrivals`, {
  summary: "The arrivals of one event, with their picks",
  access: "readers",
  alsoAt: sharedAt("/events/:eventId/arrivals"),
  caching: "revalidated",
  query: z.strictObject({ asOf }),
  answer: z.object({
    version: z.int(),
    rows: z.array(rowOf("arrivals").meta({ id: "Arrival" })),
  }),
  contentTypes: ["application/json; charset=utf-8"],
});

/** Characters of a comment, at most. */
const MAX_COMMENT = 10_000;

const preferredId = z.string().nullable().optional();

export const preferSolutions = operation("PATCH", `${EVENT}/preferred`, {
  summary: "Prefer other solutions of an event; its row becomes the view of them",
  access: "editor",
  query: WriteQuery,
  body: z
    .object({
      originID: preferredId,
      magnitudeID: preferredId,
      focalMechanismID: preferredId,
    })
    .describe("public ids of the event's bulletin; null leaves the choice to the rules"),
  example: { magnitudeID: "smi:example.org/magnitude/ml", originID: null },
  answer: Changed,
  errors: ["CONFLICT", "PRECONDITION_FAILED"],
});

export const deleteSolution = operation("DELETE", `${EVENT}/solutions/:kind/:publicID`, {
  summary: "Delete a solution of an event: an origin with its arrivals, a magnitude, a mechanism",
  access: "editor",
  params: CatalogueParams.extend({
    eventId: Id,
    kind: z.enum(["origin", "magnitude", "focalMechanism"]),
    publicID: z.string().describe("percent-encoded"),
  }),
  query: z.strictObject({
    cascade: z
      .enum(["true", "false"])
      .optional()
      .describe("also a preferred one, and what is nothing without it; picks stay"),
    reason,
  }),
  answer: z.object({
    version: z.int(),
    deleted: z.array(z.object({ kind: z.string(), publicID: z.string() })),
  }),
  errors: ["CONFLICT", "PRECONDITION_FAILED"],
});

export const addComment = operation("POST", `${EVENT}/comments`, {
  summary: "Add a comment to an event's bulletin, which is made of the row where there is none",
  access: "editor",
  query: WriteQuery,
  body: z.object({
    text: z
      .string()
      .trim()
      .min(1)
      .max(MAX_COMMENT)
      .refine((text) => text.isWellFormed() && !text.includes("\0"), {
        message: "holds characters that cannot be stored",
      }),
  }),
  example: { text: "Felt widely in Wellington and Christchurch." },
  status: 201,
  answer: z.object({ comment: CommentBody, version: z.int() }),
  errors: ["CONFLICT", "PRECONDITION_FAILED"],
});
