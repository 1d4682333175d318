import type { AnalysisInput } from "#contracts/http/analytics/analytics.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { DAY_MS } from "#contracts/units.ts";
import type { MagnitudeCount } from "#projections/read/analytics/magnitudes.ts";

const YEAR_MS = 365.25 * DAY_MS;

/** A group of the events of an analysis, with its first and last time as ISO 8601 of one form. */
export type InputGroup = {
  readonly count: number;
  readonly start: string;
  readonly end: string;
};

/** A group of events of one magnitude type, with or without magnitudes. */
export type TypedGroup = InputGroup & {
  readonly type: string | null;
  readonly withMagnitude: number;
};

/** The number of events of an analysis and their time. */
export function inputOf(groups: readonly InputGroup[], filters: EventFilters): AnalysisInput {
  let start: string | null = null;
  let end: string | null = null;
  let events = 0;
  for (const group of groups) {
    events += group.count;
    if (start === null || group.start < start) start = group.start;
    if (end === null || group.end > end) end = group.end;
  }
  return { events, start, end, years: yearsOf(filters.startTime ?? start, filters.endTime ?? end) };
}

/** The same for all events as one group, which has no times where there are none. */
export function inputOfAll(
  {
    count,
    start,
    end,
  }: { readonly count: number; readonly start: string | null; readonly end: string | null },
  filters: EventFilters,
): AnalysisInput {
  return inputOf(start === null || end === null ? [] : [{ count, start, end }], filters);
}

/** The same, with the magnitude types. */
export function inputWithTypes(
  groups: readonly TypedGroup[],
  filters: EventFilters,
): AnalysisInput & Required<Pick<AnalysisInput, "withoutMagnitude" | "magnitudeTypes">> {
  const { events, ...times } = inputOf(groups, filters);
  const withMagnitude = groups.reduce((sum, group) => sum + group.withMagnitude, 0);
  const magnitudeTypes = countsOf(groups.map((group) => [group.type, group.withMagnitude]));
  return { events, withoutMagnitude: events - withMagnitude, magnitudeTypes, ...times };
}

export function inputOfCounts(
  counts: readonly MagnitudeCount[],
  filters: EventFilters,
): AnalysisInput {
  const groups = counts.map((count) => ({
    ...count,
    withMagnitude: count.value === null ? 0 : count.count,
  }));
  return inputWithTypes(groups, filters);
}

/** Numbers by name, in any case; the most frequent spelling is shown, the most frequent name first. */
export function countsOf(
  counts: readonly (readonly [name: string | null, n: number])[],
): { type: string | null; n: number }[] {
  const byName = new Map<string | null, { type: string | null; n: number; most: number }>();
  for (const [name, n] of counts) {
    if (n === 0) continue;
    const key = name?.toLowerCase() ?? null;
    const known = byName.get(key) ?? { type: name, n: 0, most: 0 };
    known.n += n;
    if (n > known.most) Object.assign(known, { type: name, most: n });
    byName.set(key, known);
  }
  return [...byName.values()]
    .toSorted((a, b) => b.n - a.n || (String(a.type) < String(b.type) ? -1 : 1))
    .map(({ type, n }) => ({ type, n }));
}

function yearsOf(start: string | null, end: string | null): number | null {
  if (start === null || end === null) return null;
  return (epochMs(end) - epochMs(start)) / YEAR_MS;
}

/** Milliseconds since 1970 of a time in canonical form; its microseconds are fractions. */
function epochMs(time: string): number {
  const [, whole = time, fraction = ""] = /^(.*?)(?:\.(\d+))?Z$/.exec(time) ?? [];
  return Date.parse(`${whole}Z`) + Number(`0.${fraction || 0}`) * 1000;
}
