import type { ImportDetail, ImportFilters } from "#contracts/import-run.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import type { RegionArea } from "#contracts/query/region-area.ts";
import { parseTime } from "#contracts/seismic-event/parse-time.ts";

/** Every bound is inclusive, however the agency treats it; an unknown value satisfies none. */
export type AgencyQuery = Readonly<Partial<ImportFilters>> & {
  /** First and last instant; ISO 8601 UTC, up to microseconds. */
  readonly startTime: string;
  readonly endTime: string;
  readonly detail: ImportDetail;
  /** What `region` is in this run. */
  readonly regionArea?: RegionArea | undefined;
  /** Only what the agency changed since then, ISO 8601 UTC; for agencies that can tell. */
  readonly updatedAfter?: string;
};

/** What a query asks for beside its window, as filters of events. */
export function filtersOf(query: AgencyQuery): EventFilters {
  const { startTime: _, endTime: __, detail: ___, updatedAfter: ____, ...bounds } = query;
  const given = Object.entries(bounds).filter(([, bound]) => (bound ?? null) !== null);
  return Object.fromEntries(given);
}

/** A query's time in canonical form. @throws RangeError */
export function queryTime(text: string): string {
  const time = parseTime(text);
  if (time === null) throw new RangeError(`${JSON.stringify(text)} is not a time`);
  return time;
}
