import type { ImportWindow } from "#contracts/import-run.ts";
import { type ScheduleSettings, standsFor } from "#contracts/schedule.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#contracts/units.ts";

/** How much earlier than the last whole run an agency is asked for what it changed: clocks differ, and answers age. */
const OVERLAP_MS = 5 * MINUTE_MS;

/** What earlier runs have left. */
export type KnownOfRuns = {
  /** `standsFor` of the settings for which the rest stands; null before the first run. */
  readonly standsFor: string | null;
  /** When the last run began that was answered for the whole window; ISO 8601 UTC. */
  readonly lastAskedWhole: string | null;
  readonly known: Uint8Array | null;
};

/** What a run asks for. */
export type RunPlan = {
  readonly window: ImportWindow;
  /** Only what was changed since, where the agency can tell; null for the whole window. */
  readonly updatedAfter: string | null;
  /** Everything in the window in the detail of the settings, whatever is known. */
  readonly isThorough: boolean;
  readonly known: Uint8Array | null;
};

/**
 * A run asks for what changed since the last one that asked for the whole window, and for the whole window once a
 * day; everything is asked for where nothing is known by the present settings.
 */
export function planRun(settings: ScheduleSettings, before: KnownOfRuns, now: Date): RunPlan {
  const nowMs = now.getTime();
  const start = new Date(nowMs - settings.lookbackHours * HOUR_MS);
  const window = { start: start.toISOString(), end: now.toISOString() };
  if (before.standsFor !== standsFor(settings)) {
    return { window, updatedAfter: null, isThorough: true, known: null };
  }
  const { lastAskedWhole, known } = before;
  const askedMs = lastAskedWhole === null ? null : Date.parse(lastAskedWhole);
  const isIncrement = askedMs !== null && nowMs - askedMs < DAY_MS;
  return {
    window,
    updatedAfter: isIncrement ? new Date(askedMs - OVERLAP_MS).toISOString() : null,
    isThorough: false,
    known,
  };
}
