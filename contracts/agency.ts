import { z } from "zod";

/** The ways of event services: how they differ from each other is in infra/agency/dialects.ts. */
export const SERVICE_DIALECTS = ["fdsn", "geonet", "comcat", "seiscomp", "isc", "emsc"] as const;
export type ServiceDialect = (typeof SERVICE_DIALECTS)[number];

/** `table`: no event service, but a file of any kind that upload reads. */
const AGENCY_DIALECTS = [...SERVICE_DIALECTS, "table"] as const;

export const AGENCY_LIMITS = { id: 64, name: 100, url: 2000, perRequest: 1_000_000, atOnce: 16 };

/** Requests to one agency at a time, where nothing else is said. */
export const REQUESTS_AT_ONCE = 2;

/** What is known of an agency beside its id. */
export const AgencySettings = z.object({
  name: z.string(),
  /** Of an event service the address below which its methods are: `…/fdsnws/event/1`; of a table that of the file. */
  url: z.string(),
  dialect: z.enum(AGENCY_DIALECTS),
  enabled: z.boolean(),
  /** Most events that it gives in one answer; null where that is not known. */
  maxPerRequest: z.int().positive().nullable(),
  requestsAtOnce: z.int().positive(),
  /** Address of its messages, ws or wss; null where it sends none. */
  push: z.string().nullable(),
});
export type AgencySettings = z.infer<typeof AgencySettings>;

/** The id of an agency that is known by its name alone: small letters and digits, with a hyphen for anything else. */
export function agencySlug(name: string): string {
  const plain = name
    .normalize("NFD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .toLowerCase();
  const slug = plain.replaceAll(/[^a-z0-9]+/g, "-").slice(0, AGENCY_LIMITS.id);
  return slug.replaceAll(/^-|-$/g, "") || "agency";
}
