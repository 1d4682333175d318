import { z } from "zod";
import { SERVICE_DIALECTS } from "#contracts/agency.ts";

/** In a recording's directory: its first line is the head, each further line one answer, in the order in which they ended. */
export const MANIFEST = "manifest.jsonl";

export const RecordingHead = z.object({
  recording: z.literal(1),
  agency: z.object({
    name: z.string(),
    url: z.string(),
    dialect: z.enum(SERVICE_DIALECTS),
  }),
  /** When it was begun, ISO 8601 UTC. */
  at: z.string(),
});
export type RecordingHead = z.infer<typeof RecordingHead>;

/** Those that clients go by, beside encoding and length. */
export const KEPT_HEADERS = [
  "content-type",
  "retry-after",
  "etag",
  "last-modified",
  "cache-control",
  "location",
] as const;

export const RecordedAnswer = z.object({
  /** The method with its query, below the agency's address: `query?starttime=…`. */
  request: z.string(),
  status: z.int(),
  headers: z.partialRecord(z.enum(KEPT_HEADERS), z.string()),
  /** Its body, gzip, beside the manifest. */
  file: z.string().regex(/^[\w.-]+$/),
  /** Of the body as it was read. */
  bytes: z.int().nonnegative(),
  /** Why the body ended early; null for a whole one. */
  broken: z.string().nullable(),
  at: z.string(),
});
export type RecordedAnswer = z.infer<typeof RecordedAnswer>;
