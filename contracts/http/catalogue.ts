import { z } from "zod";
import { Bounds } from "../domain-events/catalogue-events.ts";
import { MergeConfig, MergedSource } from "../merge-config.ts";

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

/** Case is ignored; the gateway answers a malformed id with 404, like an unknown one. */
export const Id = z.uuid().toLowerCase();
export const CatalogueParams = z.object({ id: Id });
