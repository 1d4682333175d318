import { z } from "zod";

/** Stored with every event. `actor` is a user id, or `system`. */
export const EventMetadata = z.object({
  schemaVersion: z.int().positive(),
  commandId: z.uuid(),
  actor: z.string(),
  at: z.iso.datetime({ precision: 3 }),
});
export type EventMetadata = z.infer<typeof EventMetadata>;
