import { z } from "zod";
import { BulletinBody } from "../../bulletin/bulletin-schema.ts";
import { BULLETIN_PARTS } from "../../bulletin/parts.ts";
import { asOf } from "../../query/filter-parameters.ts";
import { WriteQuery } from "../../query/reason.ts";
import { queryList } from "../../query/values.ts";
import { QuakemlForm } from "../catalogue-export.ts";
import { SeismicEventBody } from "../event-schemas.ts";
import { EventParams } from "../events/event-edits.ts";
import { BODY_ERRORS, operation } from "../operation.ts";

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

const PATH = "/api/catalogues/:id/events/:eventId/bulletin";

export const getBulletin = operation({
  method: "GET",
  path: PATH,
  summary: "All that was said of one event: its bulletin, or one that is made of its row",
  tag: "Bulletins",
  access: "readers",
  alsoAt: [
    {
      path: "/api/share/:token/events/:eventId/bulletin",
      access: "share",
      suffix: "Shared",
    },
  ],
  rate: "read",
  caching: "revalidated",
  params: EventParams,
  query: z.strictObject({
    format: BulletinFormat.optional().describe(
      "without it the media type of Accept decides; default json",
    ),
    form: QuakemlForm.optional().describe("of quakeml: as in exports"),
    parts: parts.optional(),
    asOf,
  }),
  success: {
    status: 200,
    schema: z.object({
      bulletin: BulletinBody,
      version: z.int(),
      source: z.enum(["bulletin", "row"]).describe("row: made of the row, where there is none"),
    }),
    alsoAs: ["application/xml", "text/plain; charset=utf-8"],
  },
  errors: ["VALIDATION_ERROR", "NOT_FOUND"],
});

const Changed = z.object({ event: SeismicEventBody, version: z.int() });

export const setBulletin = operation({
  method: "PUT",
  path: PATH,
  summary: "Give an event a bulletin in the place of what it had; its row becomes the view of it",
  tag: "Bulletins",
  access: "editor",
  rate: "write",
  params: EventParams,
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
  success: { status: 200, schema: Changed },
  errors: [...BODY_ERRORS, "NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED", "BODY_TOO_LARGE"],
});

export const removeBulletin = operation({
  method: "DELETE",
  path: PATH,
  summary: "Remove an event's bulletin; the row stays, and earlier versions keep it",
  tag: "Bulletins",
  access: "editor",
  rate: "write",
  params: EventParams,
  query: WriteQuery,
  success: { status: 200, schema: Changed },
  errors: ["VALIDATION_ERROR", "NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
});
