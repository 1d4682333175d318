import { z } from "zod";

/** The ways of event services: how they differ from each other is in infra/agency/query.ts. */
export const SERVICE_DIALECTS = ["fdsn", "geonet", "comcat", "seiscomp", "isc", "emsc"] as const;
export type ServiceDialect = (typeof SERVICE_DIALECTS)[number];

/** `table`: no event service, but a file of any kind that upload reads. */
const AGENCY_DIALECTS = [...SERVICE_DIALECTS, "table"] as const;

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
