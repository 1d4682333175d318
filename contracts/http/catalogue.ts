import { z } from "zod";
import { StoredMetadata } from "../catalogue-metadata.ts";
import { Bounds, RevisionCause } from "../events/catalogues.ts";
import { MergeConfig, ShownSource } from "../merges/config.ts";
import { longListShape, nextCursor } from "../query/parameters.ts";
import { CatalogueAccess, Editing } from "../rights.ts";
import { operation, sharedAt } from "./operation.ts";

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
    bbox: z
      .tuple([z.number(), z.number(), z.number(), z.number()])
      .nullable()
      .describe(
        "the smallest box around its events: west, south, east, north; west is above east across the antimeridian",
      ),
    is_public: z.boolean(),
    public_from: z
      .int()
      .nullable()
      .describe("the first version that guests may read; null while it is private"),
    access: CatalogueAccess.describe(
      "who reads it: everybody, everybody who is signed in, its members",
    ),
    editing: Editing.describe(
      "who changes it: all editors, or only members who may; of a restricted one always only those",
    ),
    version: z.int().describe("latest committed revision of its events; 0 before the first"),
    created_by: z.string().nullable().describe("null for guests"),
    metadata: StoredMetadata.nullable().describe("what it is cited by"),
    merge_config: MergeConfig.nullable().describe("of a merged catalogue"),
    source_catalogues: z.array(ShownSource).nullable().describe("of a merged catalogue"),
  })
  .describe(
    "To guests a private catalogue has no bounds, no bbox, no times, no metadata, no merge_config and no source_catalogues: they are null",
  )
  .meta({ id: "Catalogue" });
export type Catalogue = z.infer<typeof Catalogue>;

/** Case is ignored; the gateway answers a malformed id with 404, like an unknown one. */
export const Id = z.uuid().toLowerCase();
export const CatalogueParams = z.object({ id: Id });

export const getCatalogue = operation({
  method: "GET",
  path: "/api/catalogues/:id",
  summary: "One catalogue",
  tag: "Catalogues",
  access: "public",
  alsoAt: sharedAt(""),
  rate: "read",
  caching: "revalidated",
  params: CatalogueParams,
  success: { status: 200, schema: Catalogue },
  errors: ["NOT_FOUND"],
});

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

export const listVersions = operation({
  method: "GET",
  path: "/api/catalogues/:id/versions",
  summary: "The versions of a catalogue, newest first",
  tag: "Catalogues",
  access: "readers",
  alsoAt: sharedAt("/versions"),
  rate: "read",
  caching: "revalidated",
  params: CatalogueParams,
  query: z.strictObject(longListShape),
  success: {
    status: 200,
    schema: z.object({ versions: z.array(CatalogueVersion), nextCursor }),
    alsoAs: ["application/link-format"],
  },
  errors: ["NOT_FOUND", "VALIDATION_ERROR", "INVALID_CURSOR"],
});
