import { z } from "zod";
import { AgencySettings } from "../agency.ts";
import { AGENCY_LIMITS, REQUESTS_AT_ONCE } from "../agency-limits.ts";
import { BODY_ERRORS, operation } from "./operation.ts";

/** An agency that events are imported from. */
export const Agency = z
  .object({
    id: z.string(),
    ...AgencySettings.shape,
    kind: z
      .enum(["first", "preset", "added"])
      .describe("of the configuration; known beforehand; added by an administrator"),
    push_since: z
      .string()
      .nullable()
      .describe("since when its messages come; null while they do not, or no schedule wants them"),
  })
  .meta({ id: "Agency" });
export type Agency = z.infer<typeof Agency>;

const AGENCY_ID = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

const address = z.string().max(AGENCY_LIMITS.url);

const settings = {
  name: z.string().describe(`one line of at most ${AGENCY_LIMITS.name} characters`),
  url: address.describe("http or https: below which the event service's methods are; of a file"),
  dialect: AgencySettings.shape.dialect.describe("how its service differs; table: it is a file"),
  enabled: z.boolean().describe("whether it may be asked"),
  maxPerRequest: z
    .int()
    .min(1)
    .max(AGENCY_LIMITS.perRequest)
    .nullable()
    .describe("most events that it gives in one answer; null: not known"),
  requestsAtOnce: z.int().min(1).max(AGENCY_LIMITS.atOnce),
  push: address.nullable().describe("address of its messages, ws or wss; null: it sends none"),
} satisfies Record<keyof AgencySettings, z.ZodType>;

export const NewAgency = z.object({
  id: z
    .string()
    .max(AGENCY_LIMITS.id)
    .regex(AGENCY_ID, "must consist of small letters, digits and hyphens between them"),
  ...settings,
  enabled: settings.enabled.default(true),
  maxPerRequest: settings.maxPerRequest.default(null),
  requestsAtOnce: settings.requestsAtOnce.default(REQUESTS_AT_ONCE),
  push: settings.push.default(null),
});

const AgencyParams = z.object({ id: z.string().max(AGENCY_LIMITS.id) });

export const listAgencies = operation({
  method: "GET",
  path: "/api/agencies",
  summary:
    "The agencies that events are imported from: that of the configuration, then the others by name",
  tag: "Agencies",
  access: "viewer",
  rate: "read",
  query: z.strictObject({}),
  success: { status: 200, schema: z.object({ agencies: z.array(Agency) }) },
  errors: ["VALIDATION_ERROR"],
});

export const createAgency = operation({
  method: "POST",
  path: "/api/agencies",
  summary: "Add an agency",
  tag: "Agencies",
  access: "admin",
  rate: "write",
  body: NewAgency,
  example: {
    id: "ingv-italy",
    name: "INGV, Italy",
    url: "https://webservices.ingv.it/fdsnws/event/1",
    dialect: "fdsn",
    maxPerRequest: 10_000,
  },
  success: { status: 201, schema: z.object({ agency: Agency }) },
  errors: [...BODY_ERRORS, "MISSING_NAME", "CONFLICT"],
});

export const updateAgency = operation({
  method: "PATCH",
  path: "/api/agencies/:id",
  summary: "Change an agency's settings, or turn it on or off",
  tag: "Agencies",
  access: "admin",
  rate: "write",
  params: AgencyParams,
  body: z.object(settings).partial(),
  example: { enabled: false },
  success: { status: 200, schema: z.object({ agency: Agency }) },
  errors: [...BODY_ERRORS, "MISSING_NAME", "NOT_FOUND", "CONFLICT"],
});

export const deleteAgency = operation({
  method: "DELETE",
  path: "/api/agencies/:id",
  summary: "Remove an agency; what was imported from it stays",
  tag: "Agencies",
  access: "admin",
  rate: "write",
  params: AgencyParams,
  success: { status: 200, schema: z.object({ success: z.boolean() }) },
  errors: ["VALIDATION_ERROR", "NOT_FOUND", "CONFLICT"],
});
