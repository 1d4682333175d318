import { z } from "zod";
import { checkCircle, checkOrder, filterShape } from "../query/filter-parameters.ts";
import { queryInteger } from "../query/values.ts";
import { CatalogueParams } from "./catalogue.ts";
import { operation } from "./operation.ts";

/** Above every version number. */
const MAX_VERSION = 999_999_999;

/** A version of a catalogue; the gateway answers a malformed number with 404, like an unknown one. */
export const VersionParams = CatalogueParams.extend({
  version: z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.int()),
});

export const DIFF_LIMIT = { default: 100, max: 1000 } as const;

/** The forms of a difference with their media types. */
export const DIFF_FORMATS = {
  json: { contentType: "application/json; charset=utf-8" },
  geojson: { contentType: "application/geo+json" },
  csv: { contentType: "text/csv; charset=utf-8; header=present" },
} as const;
export type DiffFormat = keyof typeof DIFF_FORMATS;

export const DiffQuery = z
  .strictObject({
    from: queryInteger(
      { min: 0, max: MAX_VERSION },
      "the version to compare with, earlier or later, 0 for the empty catalogue; without it the one before",
    ).optional(),
    ...filterShape,
    limit: queryInteger(
      { min: 1, max: DIFF_LIMIT.max },
      "changes in one answer, default 100",
    ).optional(),
    cursor: z.string().optional().describe("nextCursor of an earlier answer"),
    format: z.enum(Object.keys(DIFF_FORMATS) as [DiffFormat, ...DiffFormat[]]).optional(),
  })
  .superRefine(checkOrder)
  .superRefine(checkCircle);
export type DiffQuery = z.output<typeof DiffQuery>;

export const getDiff = operation({
  method: "GET",
  path: "/api/catalogues/:id/versions/:version/diff",
  summary:
    "The changes from one version to another that satisfy every given filter, before or after",
  tag: "Versions",
  access: "readers",
  rate: "read",
  caching: "revalidated",
  params: VersionParams,
  query: DiffQuery,
  success: {
    status: 200,
    schema: z
      .string()
      .describe(
        "{from, to, added, updated, removed, changes: [{change, event, before?}], nextCursor}, or its events",
      ),
    contentTypes: Object.values(DIFF_FORMATS).map(({ contentType }) => contentType),
  },
  errors: ["VALIDATION_ERROR", "INVALID_CURSOR", "NOT_FOUND"],
});

export const restoreVersion = operation({
  method: "POST",
  path: "/api/catalogues/:id/versions/:version/restore",
  summary: "Make a new version that is equal to an earlier one",
  tag: "Versions",
  access: "editor",
  rate: "write",
  params: VersionParams,
  success: {
    status: 200,
    schema: z.object({
      version: z.int().describe("the new version, or the latest where nothing differs"),
    }),
  },
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
});
