import { z } from "zod";
import { AgencySettings } from "../agency.ts";

const agencyId = z.string();

/** Events of the stream `agency-<id>`. The settings are whole. */
export const agencyEvents = {
  AgencyAdded: z.object({ agencyId, settings: AgencySettings }),
  /** Also the first event of an agency that is known beforehand (contracts/agency-presets.ts). */
  AgencyChanged: z.object({ agencyId, settings: AgencySettings }),
  AgencyRemoved: z.object({ agencyId }),
} as const;

type AgencyEventType = keyof typeof agencyEvents;

type AgencyEventData<T extends AgencyEventType> = z.infer<(typeof agencyEvents)[T]>;

export type AgencyEvent = {
  [T in AgencyEventType]: { type: T; data: AgencyEventData<T> };
}[AgencyEventType];
