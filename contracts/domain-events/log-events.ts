import { z } from "zod";

/**
 * Events about the log itself, in the stream LOG_STREAM: the first event that a service writes into a
 * log gives the log its identity, by which everything that is built from it knows it again.
 */
export const logEvents = {
  LogIdentified: z.object({ logId: z.uuid() }),
} as const;

export type LogEvent = {
  [T in keyof typeof logEvents]: { type: T; data: z.infer<(typeof logEvents)[T]> };
}[keyof typeof logEvents];
