import { DAY_MS } from "#contracts/units.ts";
import type { EventTable } from "../event-table.ts";
import { firstAtLeast } from "../numbers/first-at-least.ts";
import { createEventGrid } from "./event-grid.ts";
import { type Labels, numberClusters, type OnProgress, ROLE } from "./labels.ts";
import { TABLE_FIRST, type Window } from "./windows.ts";

/** Labels, and how many events are foreshocks of one event and aftershocks of another. */
export type LinkedLabels = Labels & { readonly both: number };

const REPORT = 10_000;
const FORE = 1;
const AFTER = 2;

/**
 * Declusters by windows of space and time that every event opens, in a cluster or not, as the hazard models of
 * the United States do (Gardner & Knopoff 1974; Petersen et al. 2008): an event is an aftershock in the window
 * after an event that is at least as large, and a foreshock where its own window has a larger event that is no
 * aftershock. Events below magnitude 2.5 open none. An event that is both is labelled as aftershock.
 */
export function linkedWindows(
  table: EventTable,
  window: Window,
  onProgress: OnProgress = () => {},
): LinkedLabels {
  const { length, times, magnitudes } = table;
  const grid = createEventGrid(table);
  const kinds = new Uint8Array(length);
  const roots = Int32Array.from({ length }, (_, i) => i);

  function eachInWindow(event: number, take: (later: number, isLarger: boolean) => void): void {
    const magnitude = magnitudes[event] ?? 0;
    if (magnitude < TABLE_FIRST) return;
    const end = (times[event] ?? 0) + window.days(magnitude) * DAY_MS;
    const to = firstAtLeast(times, end, true);
    grid.near(event, window.km(magnitude), event + 1, to, (later) =>
      take(later, (magnitudes[later] ?? 0) > magnitude),
    );
  }

  for (let event = 0; event < length; event += 1) {
    if (event % REPORT === 0) onProgress(event / 2);
    eachInWindow(event, (later, isLarger) => {
      if (isLarger) return;
      kinds[later] = AFTER;
      join(roots, event, later);
    });
  }
  for (let event = 0; event < length; event += 1) {
    if (event % REPORT === 0) onProgress((length + event) / 2);
    eachInWindow(event, (later, isLarger) => {
      if (!isLarger || (kinds[later] ?? 0) & AFTER) return;
      kinds[event] = (kinds[event] ?? 0) | FORE;
      join(roots, event, later);
    });
  }
  onProgress(length);
  let both = 0;
  const roles = kinds.map((kind) => {
    if (kind === (FORE | AFTER)) both += 1;
    if (kind & AFTER) return ROLE.after;
    return kind & FORE ? ROLE.fore : ROLE.main;
  });
  return { clusters: numberClusters(roots.map((_, event) => rootOf(roots, event))), roles, both };
}

function join(roots: Int32Array, a: number, b: number): void {
  const [one, other] = [rootOf(roots, a), rootOf(roots, b)];
  roots[Math.max(one, other)] = Math.min(one, other);
}

/** The smallest event of a cluster that is known so far; paths are halved on the way. */
function rootOf(roots: Int32Array, event: number): number {
  let at = event;
  for (;;) {
    const above = roots[at] ?? at;
    if (above === at) return at;
    const next = roots[above] ?? above;
    roots[at] = next;
    at = next;
  }
}
