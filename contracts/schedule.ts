import { z } from "zod";
import { ImportDetail, ImportFilters, WithdrawnHandling } from "./import-run.ts";

/** How the file of an agency of dialect `table` is read. */
export const TableReading = z.object({
  /** By what its rows are joined to events that are there; without it they are imported. */
  join: z.literal("source_id").optional(),
  /** What its columns are, as at an upload (`http/upload.ts`). */
  columns: z
    .record(
      z.string(),
      z
        .union([z.string(), z.object({ attribute: z.string(), unit: z.string().optional() })])
        .nullable(),
    )
    .optional(),
});
export type TableReading = z.infer<typeof TableReading>;

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
  ...TableReading.shape,
  paused: z.boolean(),
  /** Why the service paused it, a sentence; null where it runs, or somebody paused it. */
  pausedBecause: z.string().nullable(),
});
export type ScheduleSettings = z.infer<typeof ScheduleSettings>;

/** Events that a run has not withdrawn, though the agency has them no more, since they would be too many. */
export const WithheldEvents = z.object({
  /** What is said of it, a sentence. */
  why: z.string(),
  /** How many whole runs in a row have missed them, by their ids; of many the first. */
  missed: z.record(z.string(), z.int()),
});
export type WithheldEvents = Readonly<z.infer<typeof WithheldEvents>>;

/** The service, or the file, that an agency's answers come from; and what the region is in which they lie. */
type AnswerSource = {
  readonly url: string;
  readonly dialect?: string | undefined;
  readonly regionArea?: { readonly revision: string } | undefined;
};

/**
 * What the answers to some settings stand for, as text: what is known by them is worth nothing for settings with
 * another one, nor once the agency is elsewhere or the region is changed.
 */
export function standsFor(
  settings: ScheduleSettings,
  { url, dialect, regionArea }: AnswerSource,
): string {
  const answers = `${settingsText(settings)} ${dialect ?? "table"} ${url}`;
  return regionArea === undefined ? answers : `${answers} ${regionArea.revision}`;
}

/**
 * Whether answers that stand for something were asked for by these settings.
 * @param revision of the settings' region; null without one
 */
export function isAnswerTo(
  settings: ScheduleSettings,
  standing: string | null,
  revision: string | null = null,
): boolean {
  if (standing === null || !standing.startsWith(`${settingsText(settings)} `)) return false;
  return revision === null || standing.endsWith(` ${revision}`);
}

function settingsText(settings: ScheduleSettings): string {
  const { agency, lookbackHours, filters, detail, updateExisting, withdrawn } = settings;
  const { join, columns } = settings;
  const terms = { agency, lookbackHours, filters, detail, updateExisting, withdrawn };
  return JSON.stringify({ ...terms, join, columns });
}
