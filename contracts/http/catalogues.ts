import { z } from "zod";
import { CatalogueMetadataInput } from "../catalogue-metadata.ts";
import { CatalogueAccess, Editing } from "../catalogue-rights.ts";
import { queryInteger, queryList, queryText } from "../query/values.ts";
import { Catalogue, CatalogueParams, CatalogueStatus } from "./catalogue.ts";
import { SubmittedEvent } from "./event-schemas.ts";
import { Accepted } from "./jobs.ts";
import { BODY_ERRORS, operation } from "./operation.ts";
import { UploadReference } from "./upload.ts";
import { ValidationReport } from "./validation-report.ts";
import { Warnings } from "./warnings.ts";

export const CATALOGUE_NAME_MAX = 255;

const Success = z.object({ success: z.boolean() });

type Publicity = {
  readonly is_public?: boolean | undefined;
  readonly access?: CatalogueAccess | undefined;
};

/** @returns whether `is_public` and `access`, where both are given, say the same */
export function agree({ is_public, access }: Publicity): boolean {
  return is_public === undefined || access === undefined || is_public === (access === "public");
}

/** For a body in which they do not. */
export const DISAGREE = {
  path: ["access"],
  message: "contradicts is_public",
};

/** Who may read the catalogue that a body creates; undefined where it leaves that open. */
export function accessGiven({ is_public, access }: Publicity): CatalogueAccess | undefined {
  return access ?? (is_public === true ? "public" : undefined);
}

const described = {
  name: z.string(),
  is_public: z
    .boolean()
    .optional()
    .describe("whether guests may read it, from its first version on; default false"),
  access: CatalogueAccess.optional().describe("who may read it; default internal"),
  editing: Editing.optional().describe("who may change it; default all"),
  metadata: CatalogueMetadataInput.nullable().optional(),
};

export const CreateCatalogueBody = z.union([
  z.object({ ...described, events: z.array(SubmittedEvent) }),
  z.object({ ...described, ...UploadReference.shape }),
]);

const UpdateCatalogueBody = z
  .object({
    name: z.string().optional(),
    is_public: z
      .boolean()
      .optional()
      .describe("true lets guests read the version that is the latest now, and all later ones"),
    access: CatalogueAccess.optional().describe(
      "who may read it; to restricted and from it by owners alone",
    ),
    editing: Editing.optional().describe("who may change it; by owners alone"),
    publishHistory: z
      .boolean()
      .optional()
      .describe("beside is_public: true: guests may read the earlier versions too; default false"),
    metadata: CatalogueMetadataInput.nullable()
      .optional()
      .describe("what it is cited by, in the place of what it had; null for nothing"),
  })
  .refine(agree, DISAGREE)
  .refine(
    ({ is_public, access, publishHistory }) =>
      publishHistory !== true || is_public === true || access === "public",
    { path: ["publishHistory"], message: "needs is_public: true beside it" },
  );

export const listCatalogues = operation({
  method: "GET",
  path: "/api/catalogues",
  summary: "List catalogues, newest first",
  tag: "Catalogues",
  access: "public",
  rate: "read",
  caching: "revalidated",
  query: z.strictObject({
    page: queryInteger({ min: 1, max: 1_000_000_000 }, "page number").default(1),
    pageSize: queryInteger({ min: 1, max: 100 }, "items per page").default(10),
    search: queryText().optional().describe("part of the name; case and accents are ignored"),
    status: queryList(`only catalogues of these: ${CatalogueStatus.options.join(", ")}`)
      .pipe(z.array(CatalogueStatus))
      .optional(),
  }),
  success: {
    status: 200,
    schema: z.object({
      catalogues: z.array(Catalogue),
      total: z.int(),
      page: z.int(),
      pageSize: z.int(),
    }),
  },
  errors: ["VALIDATION_ERROR"],
});

export const createCatalogue = operation({
  method: "POST",
  path: "/api/catalogues",
  summary: "Create a catalogue of the valid ones among the submitted events",
  tag: "Catalogues",
  access: "editor",
  makesCatalogue: true,
  rate: "write",
  body: "bytes",
  documentedBody: CreateCatalogueBody,
  example: {
    name: "Kaikōura 2016",
    events: [
      {
        time: "2016-11-13T11:02:56.346Z",
        latitude: -42.69,
        longitude: 173.02,
        depth: 15.1,
        magnitude: 7.8,
        magnitude_type: "Mw",
      },
    ],
  },
  success: {
    status: 201,
    schema: z.object({
      ...Catalogue.shape,
      importMessage: z.string(),
      partialImport: z.boolean(),
      validationReport: ValidationReport,
      warnings: Warnings,
    }),
  },
  accepted: { status: 202, schema: Accepted },
  errors: [
    ...BODY_ERRORS,
    "MISSING_NAME",
    "NAME_TOO_LONG",
    "NOT_FOUND",
    "ALL_EVENTS_INVALID",
    "UNSUPPORTED_FORMAT",
    "PARSE_ERROR",
    "TOO_MANY_EVENTS",
    "BODY_TOO_LARGE",
  ],
});

export const updateCatalogue = operation({
  method: "PATCH",
  path: "/api/catalogues/:id",
  summary: "Rename a catalogue, change who may read it or what it is cited by",
  tag: "Catalogues",
  access: "editor",
  rate: "write",
  params: CatalogueParams,
  body: UpdateCatalogueBody,
  example: {
    name: "Kaikōura 2016, reviewed",
    access: "public",
    metadata: { creators: [{ name: "Aroha Ngata" }], license: "CC-BY-4.0" },
  },
  success: { status: 200, schema: Success },
  errors: [...BODY_ERRORS, "MISSING_NAME", "NAME_TOO_LONG", "NOT_FOUND", "PRECONDITION_FAILED"],
});

export const deleteCatalogue = operation({
  method: "DELETE",
  path: "/api/catalogues/:id",
  summary: "Delete a catalogue and all its events",
  tag: "Catalogues",
  access: "editor",
  rate: "write",
  params: CatalogueParams,
  success: { status: 200, schema: Success },
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
});
