import { z } from "zod";
import { Bounds, RevisionCause } from "../domain-events/catalogue-events.ts";
import { MergeConfig, MergedSource } from "../merge-config.ts";
import { queryInteger, queryText } from "../query/values.ts";
import { SubmittedEvent } from "../seismic-event/seismic-event.ts";
import { BODY_ERRORS, operation } from "./operation.ts";
import { ValidationReport } from "./validation-report.ts";

export const CATALOGUE_NAME_MAX = 255;

export const CatalogueStatus = z.enum(["processing", "active", "error", "deleting"]);
export type CatalogueStatus = z.infer<typeof CatalogueStatus>;

export const Catalogue = z
  .object({
    id: z.uuid(),
    name: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    status: CatalogueStatus,
    event_count: z.int(),
    ...Bounds.shape,
    is_public: z.boolean(),
    public_from: z
      .int()
      .nullable()
      .describe("the first version that guests may read; null while it is private"),
    version: z.int().describe("latest committed revision of its events; 0 before the first"),
    created_by: z.string().nullable().describe("null for guests"),
    merge_config: MergeConfig.nullable().describe("of a merged catalogue"),
    source_catalogues: z.array(MergedSource).nullable().describe("of a merged catalogue"),
  })
  .describe(
    "To guests a private catalogue has no bounds, no times, no merge_config and no source_catalogues: they are null",
  )
  .meta({ id: "Catalogue" });
export type Catalogue = z.infer<typeof Catalogue>;

export const CatalogueVersion = z
  .object({
    version: z.int(),
    created_at: z.string(),
    cause: RevisionCause,
    actor: z.string().nullable().describe("null for guests"),
    added: z.int(),
    updated: z.int(),
    removed: z.int(),
  })
  .meta({ id: "CatalogueVersion" });
export type CatalogueVersion = z.infer<typeof CatalogueVersion>;

/** Case is ignored; the gateway answers a malformed id with 404, like an unknown one. */
export const Id = z.uuid().toLowerCase();
export const CatalogueParams = z.object({ id: Id });

const Success = z.object({ success: z.boolean() });

export const CreateCatalogueBody = z.object({
  name: z.string(),
  is_public: z
    .boolean()
    .optional()
    .describe("whether guests may read it, from its first version on; default false"),
  events: z.array(SubmittedEvent),
});

const UpdateCatalogueBody = z
  .object({
    name: z.string().optional(),
    is_public: z
      .boolean()
      .optional()
      .describe("true lets guests read the version that is the latest now, and all later ones"),
    publishHistory: z
      .boolean()
      .optional()
      .describe("beside is_public: true: guests may read the earlier versions too; default false"),
  })
  .refine(({ is_public, publishHistory }) => publishHistory !== true || is_public === true, {
    path: ["publishHistory"],
    message: "needs is_public: true beside it",
  });

export const listCatalogues = operation({
  method: "GET",
  path: "/api/catalogues",
  summary: "List catalogues, newest first",
  tag: "Catalogues",
  access: "public",
  rate: "read",
  caching: "revalidated",
  query: z.object({
    page: queryInteger({ min: 1, max: 1_000_000_000 }, "page number").default(1),
    pageSize: queryInteger({ min: 1, max: 100 }, "items per page").default(10),
    search: queryText().optional().describe("part of the name, case is ignored"),
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
  rate: "write",
  body: "events",
  documentedBody: CreateCatalogueBody,
  success: {
    status: 201,
    schema: z.object({
      ...Catalogue.shape,
      importMessage: z.string(),
      partialImport: z.boolean(),
      validationReport: ValidationReport,
    }),
  },
  errors: [
    ...BODY_ERRORS,
    "MISSING_NAME",
    "NAME_TOO_LONG",
    "ALL_EVENTS_INVALID",
    "TOO_MANY_EVENTS",
    "BODY_TOO_LARGE",
  ],
});

export const getCatalogue = operation({
  method: "GET",
  path: "/api/catalogues/:id",
  summary: "One catalogue",
  tag: "Catalogues",
  access: "public",
  rate: "read",
  caching: "revalidated",
  params: CatalogueParams,
  success: { status: 200, schema: Catalogue },
  errors: ["NOT_FOUND"],
});

export const updateCatalogue = operation({
  method: "PATCH",
  path: "/api/catalogues/:id",
  summary: "Rename a catalogue or change who may read it",
  tag: "Catalogues",
  access: "editor",
  rate: "write",
  params: CatalogueParams,
  body: UpdateCatalogueBody,
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

export const listVersions = operation({
  method: "GET",
  path: "/api/catalogues/:id/versions",
  summary: "The versions of a catalogue, newest first",
  tag: "Catalogues",
  access: "readers",
  rate: "read",
  caching: "revalidated",
  params: CatalogueParams,
  query: z.strictObject({}),
  success: { status: 200, schema: z.object({ versions: z.array(CatalogueVersion) }) },
  errors: ["NOT_FOUND", "VALIDATION_ERROR"],
});
