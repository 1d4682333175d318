import { z } from "zod";

const count = z.int().min(0);

/** What lists and single events tell of an event's bulletin beside its hash. */
export const BulletinCounts = z
  .object({
    origins: count,
    magnitudes: count,
    station_magnitudes: count,
    amplitudes: count,
    picks: count,
    arrivals: count,
    focal_mechanisms: count,
    comments: count.describe("of every level"),
    bytes: count.describe("of the bulletin as canonical JSON (RFC 8785)"),
  })
  .meta({ id: "BulletinCounts" });
export type BulletinCounts = z.infer<typeof BulletinCounts>;
