import { z } from "zod";
import { GivenConversions } from "../../merge/known-conversions.ts";
import { MagnitudeConversion } from "../../merge/magnitude-conversion.ts";
import { BodyFilters } from "../../query/filter-parameters.ts";
import { WriteQuery } from "../../query/reason.ts";
import { CatalogueParams } from "../catalogue.ts";
import { Accepted } from "../jobs.ts";
import { BODY_ERRORS, operation } from "../operation.ts";

export const listConversions = operation({
  method: "GET",
  path: "/api/conversions",
  summary: "The conversions between types of magnitude that are known by name, with their sources",
  tag: "Events",
  access: "public",
  rate: "read",
  query: z.strictObject({}),
  success: { status: 200, schema: z.object({ conversions: z.array(MagnitudeConversion) }) },
  errors: ["VALIDATION_ERROR"],
});

export const convertMagnitudes = operation({
  method: "POST",
  path: "/api/catalogues/:id/conversions",
  summary: "Convert the magnitudes of events by one edit; the originals are kept",
  tag: "Events",
  access: "editor",
  rate: "write",
  params: CatalogueParams,
  query: WriteQuery,
  body: z.object({
    conversions: GivenConversions.min(1),
    filters: BodyFilters.optional().describe("the events that are looked at; absent: all"),
  }),
  example: { conversions: ["isc-gem-mb"], filters: { minMagnitude: 4.5 } },
  success: {
    status: 200,
    schema: z.object({
      version: z.int().describe("the new version, or the latest where nothing is converted"),
      converted: z.int(),
      outOfRange: z
        .int()
        .describe("events whose type and agency conversions are for, and no range of them"),
    }),
  },
  accepted: { status: 202, schema: Accepted },
  errors: [...BODY_ERRORS, "NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
});
