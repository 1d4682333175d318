import { z } from "zod";

/**
 * Events about the log itself, in the stream LOG_STREAM. The first event that a service writes gives
 * the log its identity, by which data built from it can recognise it.
 */
export const logEvents = {
  LogIdentified: z.object({ logId: z.uuid() }),
} as const;

export type LogEvent = {
  [T in keyof typeof logEvents]: { type: T; data: z.infer<(typeof logEvents)[T]> };
}[keyof typeof logEvents];
