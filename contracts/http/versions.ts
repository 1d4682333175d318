import { z } from "zod";
import { RevisionCause } from "../domain-events/catalogue-events.ts";
import { CatalogueParams } from "./catalogue.ts";
import { operation } from "./operation.ts";

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
  rate: "read",
  caching: "revalidated",
  params: CatalogueParams,
  query: z.strictObject({}),
  success: { status: 200, schema: z.object({ versions: z.array(CatalogueVersion) }) },
  errors: ["NOT_FOUND", "VALIDATION_ERROR"],
});
