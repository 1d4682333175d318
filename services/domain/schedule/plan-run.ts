import type { ImportWindow } from "#contracts/import-run.ts";
import type { ScheduleSettings } from "#contracts/schedule.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#contracts/units.ts";

/** How much earlier than the last run an agency is asked for what it changed: clocks differ, and answers age. */
const OVERLAP_MS = 5 * MINUTE_MS;

/** What earlier runs have left. */
export type KnownOfRuns = {
  /** Whether the rest stands for the present settings and the agency's present address. */
  readonly isValid: boolean;
  /** When the last run began that was answered; ISO 8601 UTC. */
  readonly lastAsked: string | null;
  /** The same, of one that asked for the whole window. */
  readonly lastAskedWhole: string | null;
  readonly known: Uint8Array | null;
};

/** What a run asks for. */
export type RunPlan = {
  /** Only what was changed since, where the agency can tell; null for the whole window. */
  readonly updatedAfter: string | null;
  /** Everything in the window in the detail of the settings, whatever is known. */
  readonly isThorough: boolean;
  readonly known: Uint8Array | null;
};

/** The window of a run: it ends now. */
export function windowOf({ lookbackHours }: ScheduleSettings, now: Date): ImportWindow {
  const start = new Date(now.getTime() - lookbackHours * HOUR_MS);
  return { start: start.toISOString(), end: now.toISOString() };
}

/**
 * A run asks for what changed since the last one that was answered, and for the whole window once a day; everything
 * is asked for where nothing is known by the present settings.
 */
export function planRun(before: KnownOfRuns, now: Date): RunPlan {
  const { isValid, lastAsked, lastAskedWhole, known } = before;
  if (!isValid) return { updatedAfter: null, isThorough: true, known: null };
  const isWholeDue =
    lastAskedWhole === null || now.getTime() - Date.parse(lastAskedWhole) >= DAY_MS;
  const since = isWholeDue || lastAsked === null ? null : Date.parse(lastAsked) - OVERLAP_MS;
  const updatedAfter = since === null ? null : new Date(since).toISOString();
  return { updatedAfter, isThorough: false, known };
}
