import { z } from "zod";

/** A body with events to be added to a catalogue, without its events. */
export const AdditionEnvelope = z.object({
  /** Whether an event that the catalogue has is replaced by the given one, or stays as it is. */
  updateExisting: z.boolean().default(false),
});
