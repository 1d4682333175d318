import { z } from "zod";
import { ImportDetail, ImportFilters, WithdrawnHandling } from "./import-run.ts";

/** What a schedule asks its agency for and how often, and what is done with the answers. */
export const ScheduleSettings = z.object({
  /** Id of the agency. */
  agency: z.string(),
  everyMinutes: z.int().positive(),
  /** How far the window of a run reaches back. */
  lookbackHours: z.int().positive(),
  filters: ImportFilters,
  detail: ImportDetail,
  updateExisting: z.boolean(),
  withdrawn: WithdrawnHandling,
  push: z.boolean(),
  paused: z.boolean(),
  /** Why the service paused it, a sentence; null where it runs, or somebody paused it. */
  pausedBecause: z.string().nullable(),
});
export type ScheduleSettings = z.infer<typeof ScheduleSettings>;

/**
 * What the answers to some settings stand for, as text: what is known by them is worth nothing for settings with
 * another one.
 */
export function standsFor(settings: ScheduleSettings): string {
  const { agency, lookbackHours, filters, detail, updateExisting, withdrawn } = settings;
  return JSON.stringify({ agency, lookbackHours, filters, detail, updateExisting, withdrawn });
}
