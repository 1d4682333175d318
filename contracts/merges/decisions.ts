import { z } from "zod";
import { isShownText, NOT_SHOWN } from "../text.ts";

export const DECISION_LIMITS = {
  /** Decisions of a merge. */
  most: 100_000,
  minEvents: 2,
  maxEvents: 50,
  noteLength: 1_000,
  /** A body with as many as there may be, of two events each. */
  bodyMiB: 32,
} as const;

/** An event of a source of a merge, by the id that it has or had. */
export const DecidedEvent = z.strictObject({
  catalogue_id: z.uuid().toLowerCase(),
  event_id: z.uuid().toLowerCase(),
});
export type DecidedEvent = z.infer<typeof DecidedEvent>;

const Note = z
  .string()
  .min(1)
  .max(DECISION_LIMITS.noteLength)
  .refine(isShownText, { message: NOT_SHOWN });

const type = z.enum(["same", "different"]);

/** What a person says of events of different sources, whatever the thresholds: all are one earthquake, or no two are. */
export const MergeDecision = z
  .strictObject({
    type,
    events: z
      .array(DecidedEvent)
      .min(DECISION_LIMITS.minEvents)
      .max(DECISION_LIMITS.maxEvents)
      .refine((events) => new Set(events.map(keyOf)).size === events.length, {
        message: "names an event twice",
      }),
    note: Note.optional().describe("why, in words"),
  })
  .meta({ id: "MergeDecision" });
export type MergeDecision = z.infer<typeof MergeDecision>;

export const MergeDecisions = z.array(MergeDecision).max(DECISION_LIMITS.most);

/** As the log has it. Who made it and when is told by its event. */
export const MadeDecision = z.object({
  id: z.uuid(),
  type,
  events: z.array(DecidedEvent),
  note: z.string().optional(),
});
export type MadeDecision = z.infer<typeof MadeDecision>;

/** Of a source that is not there for the reader it is null, null. */
const ShownEvent = z.object({
  catalogue_id: z.uuid().nullable(),
  event_id: z.uuid().nullable(),
});

/** What the next refresh puts together or splits by a decision, as it is before. */
export const DecidedGroup = z
  .object({
    event_ids: z
      .array(z.uuid())
      .describe("the merged catalogue's events that are put together, or that are split"),
    events: z.array(ShownEvent).describe("their members now, of the sources"),
  })
  .meta({ id: "DecidedGroup" });
export type DecidedGroup = z.infer<typeof DecidedGroup>;

/** A decision as it is shown; ids of events are null where the source is not there for the reader. */
export const ShownDecision = z
  .object({
    id: z.uuid(),
    type,
    events: z.array(ShownEvent),
    note: z.string().nullable(),
    actor: z.string().nullable().describe("user id of whoever made it; null for guests"),
    at: z.string().describe("when it was made"),
    idle: z
      .boolean()
      .describe("it changes nothing: fewer than two of its events are there, or others contradict"),
  })
  .meta({ id: "ShownDecision" });
export type ShownDecision = z.infer<typeof ShownDecision>;

/** Text by which an event of a source is known. */
function keyOf({ catalogue_id, event_id }: DecidedEvent): string {
  return `${catalogue_id}/${event_id}`;
}
