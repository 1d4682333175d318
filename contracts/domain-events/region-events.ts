import { z } from "zod";
import { RegionGeometry } from "../geometry/region-geometry.ts";

const regionId = z.uuid();

/** What a region is, beside its id. */
export const RegionSettings = z.object({
  name: z.string(),
  geometry: RegionGeometry,
  /** Null for none. */
  note: z.string().nullable(),
});
export type RegionSettings = z.infer<typeof RegionSettings>;

/** Events of the stream `region-<id>`. The settings are whole. */
export const regionEvents = {
  RegionCreated: z.object({ regionId, settings: RegionSettings }),
  RegionChanged: z.object({ regionId, settings: RegionSettings }),
  RegionDeleted: z.object({ regionId }),
} as const;

type RegionEventType = keyof typeof regionEvents;

type RegionEventData<T extends RegionEventType> = z.infer<(typeof regionEvents)[T]>;

export type RegionEvent = {
  [T in RegionEventType]: { type: T; data: RegionEventData<T> };
}[RegionEventType];
