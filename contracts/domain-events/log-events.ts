import { z } from "zod";

/** The stream LOG_STREAM: by its identity, data built from the log can recognise it. */
export const logEvents = {
  LogIdentified: z.object({ logId: z.uuid() }),
} as const;

export type LogEvent = {
  [T in keyof typeof logEvents]: { type: T; data: z.infer<(typeof logEvents)[T]> };
}[keyof typeof logEvents];

/** Stored with every event. `actor` is a user id, or `system`. */
export const EventMetadata = z.object({
  schemaVersion: z.int().positive(),
  commandId: z.uuid(),
  actor: z.string(),
  at: z.iso.datetime({ precision: 3 }),
});
export type EventMetadata = z.infer<typeof EventMetadata>;
