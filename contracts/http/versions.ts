import { z } from "zod";
import { ClusterRole } from "../analytics/declustering.ts";
import { Bounds } from "../events/catalogues.ts";
import {
  filteredQuery,
  filterShape,
  nameIn,
  queryInteger,
  queryLimit,
  WriteQuery,
} from "../query/parameters.ts";
import { CatalogueVersion } from "./catalogues.ts";
import { CatalogueParams, operation, sharedAt } from "./operation.ts";

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

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const VersionRecord = z
  .object({
    ...CatalogueVersion.shape,
    event_count: z.int(),
    bounds: Bounds,
    sha256: Sha256.nullable().describe(
      "of the canonical form: RFC 8785 JSON of each event as the JSON export has it, a line each, in order of the ids; null of a deleted catalogue where nobody had asked for it",
    ),
    content_hash: z.string().describe("of the chunks in the log, and of the version before"),
    previous: z.int().nullable().describe("the version before; null for the first"),
    sources: z
      .array(
        z.object({
          catalogue_id: z.uuid().nullable(),
          version: z.int(),
          sha256: Sha256.nullable(),
        }),
      )
      .describe("what a merge or a declustering was made of; empty for other versions"),
    derivation: z
      .object({
        method: z.string(),
        parameters: z.record(z.string(), z.unknown()),
        filters: z.record(z.string(), z.string()),
        role: ClusterRole,
      })
      .optional()
      .describe("how its events were chosen, where it was made by declustering"),
  })
  .meta({ id: "VersionRecord" });
export type VersionRecord = z.infer<typeof VersionRecord>;

const RecordAnswer = z.object({ version: VersionRecord });

/** Of a deleted catalogue: an error that tells what there was, and how it is cited. */
const GoneAnswer = RecordAnswer.extend({
  error: z.string(),
  code: z.literal("GONE"),
  citation: z.string().describe("as `/citation` has it by default"),
});

export const getVersion = operation("GET", "/api/catalogues/:id/versions/:version", {
  summary: "The record of a version; of a deleted catalogue with the status 410",
  // Of readers, also of a deleted catalogue, which the handler looks up in the log.
  access: "public",
  alsoAt: sharedAt("/versions/:version"),
  act: "record",
  caching: "revalidated",
  params: VersionParams,
  answer: RecordAnswer,
  failure: { status: 410, schema: GoneAnswer },
  errors: ["UNAUTHENTICATED"],
});

/** The formats of a citation with their media types. */
export const CITATION_FORMATS = {
  text: { contentType: "text/plain; charset=utf-8" },
  bibtex: { contentType: "application/x-bibtex; charset=utf-8" },
  ris: { contentType: "application/x-research-info-systems; charset=utf-8" },
  datacite: { contentType: "application/vnd.datacite.datacite+json" },
  cff: { contentType: "application/yaml; charset=utf-8" },
} as const;
export type CitationFormat = keyof typeof CITATION_FORMATS;

export const getCitation = operation("GET", "/api/catalogues/:id/versions/:version/citation", {
  summary:
    "How to cite a version, or the events of it that satisfy filters; also of a deleted catalogue",
  // As of the record.
  access: "public",
  alsoAt: sharedAt("/versions/:version/citation"),
  act: "record",
  caching: "revalidated",
  params: VersionParams,
  query: filteredQuery({
    format: nameIn(CITATION_FORMATS).default("text"),
    ...filterShape,
  }).describe("filters are told: they are what was used of the version"),
  answer: z.string().describe("the citation"),
  contentTypes: Object.values(CITATION_FORMATS).map(({ contentType }) => contentType),
  errors: ["UNAUTHENTICATED"],
});

export const DIFF_LIMIT = { default: 100, max: 1000 } as const;

/** The forms of a difference with their media types. */
export const DIFF_FORMATS = {
  json: { contentType: "application/json; charset=utf-8" },
  geojson: { contentType: "application/geo+json" },
  csv: { contentType: "text/csv; charset=utf-8; header=present" },
} as const;
export type DiffFormat = keyof typeof DIFF_FORMATS;

export const DiffQuery = filteredQuery({
  from: queryInteger(
    { min: 0, max: MAX_VERSION },
    "the version to compare with, earlier or later, 0 for the empty catalogue; without it the one before",
  ).optional(),
  ...filterShape,
  limit: queryLimit(DIFF_LIMIT, "changes in one answer").optional(),
  cursor: z.string().optional().describe("nextCursor of an earlier answer"),
  format: nameIn(DIFF_FORMATS).optional(),
});
export type DiffQuery = z.output<typeof DiffQuery>;

export const getDiff = operation("GET", "/api/catalogues/:id/versions/:version/diff", {
  summary: "The changes from one version to another that satisfy all filters, before or after",
  access: "readers",
  caching: "revalidated",
  params: VersionParams,
  query: DiffQuery,
  answer: z
    .string()
    .describe(
      "{from, to, added, updated, removed, changes: [{change, event, before?, solutions?, solutionsTruncated?}], nextCursor}, or its events",
    ),
  contentTypes: Object.values(DIFF_FORMATS).map(({ contentType }) => contentType),
  errors: ["TOO_MANY_EVENTS"],
});

export const restoreVersion = operation("POST", "/api/catalogues/:id/versions/:version/restore", {
  summary: "Make a new version that is equal to an earlier one",
  access: "editor",
  params: VersionParams,
  query: WriteQuery,
  answer: z.object({
    version: z.int().describe("the new version, or the latest where nothing differs"),
  }),
  errors: ["CONFLICT", "PRECONDITION_FAILED"],
});
