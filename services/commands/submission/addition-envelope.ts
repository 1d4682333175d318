import { z } from "zod";

/** A request's body for adding events to a catalogue, without the events. */
export const AdditionEnvelope = z.object({
  /** Whether given events replace events that the catalogue has. */
  updateExisting: z.boolean().default(false),
});
