import { DAY_MS } from "#contracts/units.ts";
import type { EventTable } from "../event-table.ts";
import { firstAtLeast } from "../numbers/first-at-least.ts";
import { createEventGrid } from "./event-grid.ts";
import { type Labels, numberClusters, type OnProgress, ROLE } from "./labels.ts";
import type { Window } from "./windows.ts";

export type GardnerKnopoffOptions = {
  readonly window: Window;
  /** The share of the duration that foreshocks may precede by, 0 to 1. */
  readonly foreshockFraction: number;
};

/** Events between two reports of progress. */
const REPORT = 10_000;

/**
 * Declusters by windows of space and time (Gardner & Knopoff 1974), headed by their largest events: by
 * magnitude downwards, then by time and id, each event without a cluster becomes the main event of those
 * without one within the window's distance (epicentral), until its duration after it, and for a fraction of
 * that before it.
 */
export function gardnerKnopoff(
  table: EventTable,
  { window, foreshockFraction }: GardnerKnopoffOptions,
  onProgress: OnProgress = () => {},
): Labels {
  const { length, times, magnitudes } = table;
  const grid = createEventGrid(table);
  const heads = new Int32Array(length).fill(-1);
  const roles = new Uint8Array(length);
  for (const [done, head] of byMagnitude(magnitudes).entries()) {
    if (done % REPORT === 0) onProgress(done);
    if (heads[head] !== -1) continue;
    heads[head] = head;
    const magnitude = magnitudes[head] ?? 0;
    const span = window.days(magnitude) * DAY_MS;
    const time = times[head] ?? 0;
    const from = firstAtLeast(times, time - foreshockFraction * span);
    const to = firstAtLeast(times, time + span, true);
    grid.near(head, window.km(magnitude), from, to, (event) => {
      if (heads[event] !== -1) return;
      heads[event] = head;
      roles[event] = event < head ? ROLE.fore : ROLE.after;
    });
  }
  onProgress(length);
  return { clusters: numberClusters(heads), roles };
}

/** The events from the largest on; of equal ones the first. */
function byMagnitude(magnitudes: Float64Array): Int32Array {
  const order = Int32Array.from(magnitudes, (_, i) => i);
  return order.sort((a, b) => (magnitudes[b] ?? 0) - (magnitudes[a] ?? 0) || a - b);
}
