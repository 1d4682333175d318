import { z } from "zod";
import { COUNTED_OBJECTS, type CountedObject } from "./bulletin-objects.ts";

const count = z.int().min(0);

const ofObjects = Object.fromEntries(COUNTED_OBJECTS.map((name) => [name, count])) as Record<
  CountedObject,
  typeof count
>;

/** What lists and single events tell of an event's bulletin beside its hash. */
export const BulletinCounts = z
  .object({
    ...ofObjects,
    comments: count.describe("of every level"),
    bytes: count.describe("of the bulletin as canonical JSON (RFC 8785)"),
  })
  .meta({ id: "BulletinCounts" });
export type BulletinCounts = z.infer<typeof BulletinCounts>;
