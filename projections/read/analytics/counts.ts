/** How many events there are: of all classes, in time, in depth and in places. */

import type { ClientBase } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import type { CalendarUnit } from "#contracts/analytics/calendar.ts";
import type { ClusterRole } from "#contracts/analytics/declustering.ts";
import type { TextRow } from "#infra/postgres/copy/copied.ts";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import { type Connection, statementsOn } from "#infra/postgres/statements.ts";
import { ofRoleOf } from "#infra/stores/declustering.ts";
import {
  type AnalysisSelection,
  asTimes,
  filterConditions,
  inWidths,
  magnitudeBin,
  selectedEvents,
  TIMES_OF_GROUP,
} from "../conditions.ts";
import { bulletinColumn, EVENT_COLUMNS, type VersionRows, visibleAt } from "../versions.ts";

const bound = z.number().nullable();
const SummaryRow = z.object({
  type: z.string().nullable(),
  eventType: z.string().nullable(),
  count: z.int(),
  withMagnitude: z.int(),
  withDepth: z.int(),
  minMagnitude: bound,
  maxMagnitude: bound,
  minDepth: bound,
  maxDepth: bound,
  minLatitude: bound,
  maxLatitude: bound,
  minLongitude: bound,
  maxLongitude: bound,
  start: z.string(),
  end: z.string(),
});

/** The events of one magnitude type and one event type: how many, and within which bounds. */
export type SummaryRow = z.infer<typeof SummaryRow>;

export function summaryRows(pool: Connection, selection: AnalysisSelection) {
  return statementsOn(pool).any(sql.type(SummaryRow)`
    select magnitude_type as type, event_type as "eventType", count(*)::int as count,
      count(magnitude)::int as "withMagnitude", count(depth)::int as "withDepth",
      min(magnitude) as "minMagnitude", max(magnitude) as "maxMagnitude",
      min(depth) as "minDepth", max(depth) as "maxDepth",
      min(latitude) as "minLatitude", max(latitude) as "maxLatitude",
      min(longitude) as "minLongitude", max(longitude) as "maxLongitude", ${TIMES_OF_GROUP}
    from ${selectedEvents(selection)}
    group by 1, 2`);
}

/** Events of a class of magnitudes in a step of time, of which 0 is the latest. */
const ClassCount = z.object({ class: z.int(), step: z.int(), count: z.int() });

type ClassPlan = {
  /** Of the bins of magnitude, as `binOf` has them, of which `binsPerClass` are a class from 0 on. */
  readonly binWidth: number;
  readonly binsPerClass: number;
  /** ISO 8601; steps go back from it. */
  readonly end: string;
  readonly stepSeconds: number;
};

export function classCounts(
  pool: Connection,
  selection: AnalysisSelection,
  { binWidth, binsPerClass, end, stepSeconds }: ClassPlan,
) {
  return statementsOn(pool).any(sql.type(ClassCount)`
    select floor(${magnitudeBin(binWidth)} / ${binsPerClass}::double precision)::int as class,
      floor(extract(epoch from ${end}::timestamptz - time)::double precision
        / ${stepSeconds}::double precision)::int as step,
      count(*)::int as count
    from ${selectedEvents(selection)} and magnitude is not null
    group by 1, 2`);
}

const UnitCount = z.object({
  unit: z.number(),
  count: z.int(),
  start: z.string(),
  end: z.string(),
});

/** The units of the calendar that have an event, by their beginning in UTC, milliseconds since 1970. */
export function countsByUnit(pool: Connection, selection: AnalysisSelection, unit: CalendarUnit) {
  return statementsOn(pool).any(sql.type(UnitCount)`
    select extract(epoch from unit)::double precision * 1000 as unit, count, start, "end"
    from (
      select date_trunc(${unit}, time at time zone 'UTC') as unit, count(*)::int as count,
        ${TIMES_OF_GROUP}
      from ${selectedEvents(selection)}
      group by 1
    ) as counts`);
}

const UnitMoment = z.object({
  unit: z.number(),
  type: z.string().nullable(),
  count: z.int(),
  withMagnitude: z.int(),
  moment: z.number().nullable(),
  largest: z.number().nullable(),
  start: z.string(),
  end: z.string(),
});

/**
 * Events of one magnitude type in a unit of the calendar, which begins at `unit`, milliseconds since
 * 1970: their moment in N·m and their largest magnitude, null where none has a magnitude.
 */
export type UnitMoment = z.infer<typeof UnitMoment>;

/** Every magnitude is taken as Mw: M0 = 10^(1.5 Mw + 9.1), as `momentOf` has it. */
export function momentsByUnit(pool: Connection, selection: AnalysisSelection, unit: CalendarUnit) {
  return statementsOn(pool).any(sql.type(UnitMoment)`
    select extract(epoch from unit)::double precision * 1000 as unit, type, count,
      "withMagnitude", moment, largest, start, "end"
    from (
      select date_trunc(${unit}, time at time zone 'UTC') as unit, magnitude_type as type,
        count(*)::int as count, count(magnitude)::int as "withMagnitude",
        sum(power(10::double precision, 1.5 * magnitude + 9.1)) as moment,
        max(magnitude) as largest, ${TIMES_OF_GROUP}
      from ${selectedEvents(selection)}
      group by 1, 2
    ) as moments`);
}

const IntervalRow = z.object({
  events: z.int(),
  n: z.int(),
  mean: z.number().nullable(),
  median: z.number().nullable(),
  min: z.number().nullable(),
  max: z.number().nullable(),
  deviation: z.number().nullable(),
  zeros: z.int(),
  bins: z.array(z.tuple([z.int(), z.int()])),
  start: z.string().nullable(),
  end: z.string().nullable(),
});

/**
 * The `n` times between events, seconds: null where there are too few for it. `bins` are pairs of
 * ⌊log₁₀(seconds) / width⌋, as `logBinOf` has it, and how many there are.
 */
export type IntervalRow = z.infer<typeof IntervalRow>;

/** @param width of a bin, decades */
export function intervalRow(pool: Connection, selection: AnalysisSelection, width: number) {
  return statementsOn(pool).one(sql.type(IntervalRow)`
    with intervals as materialized (
      select time,
        extract(epoch from time - lag(time) over (order by time))::double precision as seconds
      from ${selectedEvents(selection)}
    ),
    bins as (
      select floor(log(seconds) / ${width}::double precision + 1e-9) as bin, count(*) as count
      from intervals
      where seconds > 0
      group by 1
    )
    select count(*)::int as events, count(seconds)::int as n, avg(seconds) as mean,
      percentile_cont(0.5) within group (order by seconds) as median,
      min(seconds) as min, max(seconds) as max, stddev_samp(seconds) as deviation,
      count(*) filter (where seconds = 0)::int as zeros,
      (select coalesce(json_agg(json_build_array(bin, count)), '[]') from bins) as bins,
      ${TIMES_OF_GROUP}
    from intervals`);
}

const DepthCount = z.object({
  bin: z.number().nullable(),
  count: z.int(),
  assigned: z.int(),
  crowded: z.array(z.int()).nullable(),
  start: z.string(),
  end: z.string(),
});

/**
 * Events of a bin ⌊depth / width⌋, as `depthBinOf` has it, null without depth. `crowded` are its parts
 * that may hold a frequent depth; `start` and `end` are the times of all events.
 */
export type DepthCount = z.infer<typeof DepthCount>;

type DepthPlan = {
  /** Of a bin, km. */
  readonly width: number;
  /** The part of the events with a depth above which a depth is frequent. */
  readonly frequentShare: number;
};

/** So many parts of a bin, by a hash, that hardly one is crowded without a frequent depth. */
const PARTS = 64;
const PART = sql.fragment`hashfloat8(depth) & ${PARTS - 1}::int`;

export async function depthCounts(
  pool: Connection,
  selection: AnalysisSelection,
  { width, frequentShare }: DepthPlan,
): Promise<readonly DepthCount[]> {
  const rows = selectedEvents(selection);
  // Times of all events, which an index has: in each group they would make it too wide for memory.
  return statementsOn(pool).any(sql.type(DepthCount)`
    with parts as materialized (
      select floor(${inWidths(sql.fragment`depth`, width)} + 1e-9) as bin, ${PART} as part,
        count(*) as count,
        count(*) filter (where depth_type = 'operator assigned') as assigned
      from ${rows}
      group by 1, 2
    ),
    total as (
      select sum(count) as count from parts where bin is not null
    )
    select bin, sum(parts.count)::int as count, sum(assigned)::int as assigned,
      json_agg(part) filter (
        where bin is not null and parts.count > ${frequentShare}::double precision * total.count
      ) as crowded,
      ${asTimes(sql.fragment`(select min(time) from ${rows})`, sql.fragment`(select max(time) from ${rows})`)}
    from parts, total
    group by 1`);
}

const FrequentDepth = z.object({ depth: z.number(), count: z.int(), assigned: z.int() });

/** Depths that more than a part of the events have. */
export type FrequentDepth = z.infer<typeof FrequentDepth>;

/** @param counts of the same events: only what is crowded is read again */
export async function frequentDepths(
  pool: Connection,
  selection: AnalysisSelection,
  { frequentShare, counts }: DepthPlan & { readonly counts: readonly DepthCount[] },
): Promise<readonly FrequentDepth[]> {
  const parts = new Set(counts.flatMap(({ crowded }) => crowded ?? []));
  if (parts.size === 0) return [];
  const n = counts.reduce((sum, { bin, count }) => (bin === null ? sum : sum + count), 0);
  return statementsOn(pool).any(sql.type(FrequentDepth)`
    select depth, count(*)::int as count,
      count(*) filter (where depth_type = 'operator assigned')::int as assigned
    from ${selectedEvents(selection)}
      and depth is not null and (${PART}) = any(${sql.array([...parts], "int4")})
    group by 1
    having count(*) > ${frequentShare}::double precision * ${n}`);
}

const CellCounts = z.object({
  events: z.int(),
  cells: z.int(),
  latitudes: z.array(z.int()),
  longitudes: z.array(z.int()),
  counts: z.array(z.int()),
  start: z.string().nullable(),
  end: z.string().nullable(),
});

/**
 * Cells with events from south to north, then from west to east: `latitudes` and `longitudes` are
 * ⌊degrees / size⌋, as `cellOf` and `cellOfLongitude` have it. The lists are empty where there are
 * more cells than asked for.
 */
export type CellCounts = z.infer<typeof CellCounts>;

/** @param size of a cell, degrees; 180° is the meridian of −180° */
export async function cellCounts(
  pool: Connection,
  selection: AnalysisSelection,
  { size, limit }: { readonly size: number; readonly limit: number },
): Promise<CellCounts> {
  const wrapped = sql.fragment`case when longitude >= ${180 - 1e-9 * size}::float8
    then longitude - 360 else longitude end`;
  return statementsOn(pool).one(sql.type(CellCounts)`
    with cells as materialized (
      select floor(${inWidths(sql.fragment`latitude`, size)} + 1e-9) as latitude,
        floor(${inWidths(wrapped, size)} + 1e-9) as longitude,
        count(*) as count, min(time) as first, max(time) as last
      from ${selectedEvents(selection)}
      group by 1, 2
    ),
    listed as (
      select * from cells where (select count(*) from cells) <= ${limit} order by 1, 2
    )
    select coalesce(sum(count), 0)::int as events, count(*)::int as cells,
      (select coalesce(json_agg(latitude), '[]') from listed) as latitudes,
      (select coalesce(json_agg(longitude), '[]') from listed) as longitudes,
      (select coalesce(json_agg(count), '[]') from listed) as counts,
      ${asTimes(sql.fragment`min(first)`, sql.fragment`max(last)`)}
    from cells`);
}

/** Events that belong together: aftershocks, and what declustering reads and has labelled. */

const MainEvent = z.object({ start: z.string(), latitude: z.number(), longitude: z.number() });

/** When and where a main event was; `start` is its time. */
export type MainEvent = z.infer<typeof MainEvent>;

/** An event of a version, whether or not it satisfies the filters; null if there is none. */
export async function mainEvent(
  pool: Connection,
  { version }: Pick<AnalysisSelection, "version">,
  id: string,
): Promise<MainEvent | null> {
  const [found] = await statementsOn(pool).any(sql.type(MainEvent)`
    select latitude, longitude, ${asTimes(sql.fragment`time`, sql.fragment`time`)}
    from read_model.seismic_events
    where ${visibleAt(version)} and event_id = ${id}`);
  return found ?? null;
}

const Aftershocks = z.object({
  events: z.int(),
  last: z.number().nullable(),
  inWindow: z.int(),
  days: z.instanceof(Buffer).nullable(),
  start: z.string().nullable(),
  end: z.string().nullable(),
});

/**
 * The `events` from a main event on, which itself is none of them, the last `last` days after it. `days`
 * are those within the window, as doubles of 8 bytes, the most significant first, ascending; null where
 * there are none, or more than asked for.
 */
export type Aftershocks = z.infer<typeof Aftershocks>;

type AftershockPlan = {
  /** ISO 8601. */
  readonly mainTime: string;
  readonly mainId: string | null;
  /** Around a place, km. */
  readonly circle: { latitude: number; longitude: number; maxRadiusKm: number } | null;
  /** Days, inclusive; without an end, to the last event. */
  readonly start: number;
  readonly end: number | null;
  readonly limit: number;
};

export async function aftershocks(
  pool: Connection,
  selection: AnalysisSelection,
  plan: AftershockPlan,
): Promise<Aftershocks> {
  const { mainTime, circle, start, end, limit } = plan;
  const isWithin = sql.fragment`day between ${start} and ${end ?? "infinity"}::double precision`;
  return statementsOn(pool).one(sql.type(Aftershocks)`
    with later as materialized (
      select time,
        extract(epoch from time - ${mainTime}::timestamptz)::double precision / 86400 as day
      from ${selectedEvents(selection)} and ${isLater(plan)}
        and ${circle === null ? sql.fragment`true` : filterConditions(circle)}
    ),
    counted as (
      select count(*) filter (where ${isWithin}) as "inWindow" from later
    )
    select count(*)::int as events, max(day) as last,
      (select "inWindow" from counted)::int as "inWindow",
      case when (select "inWindow" from counted) <= ${limit} then
        (select string_agg(float8send(day), ''::bytea order by day) from later where ${isWithin})
      end as days,
      ${TIMES_OF_GROUP}
    from later`);
}

/** What is at the very time of a main event that was given by its time is taken for the main event. */
function isLater({ mainTime, mainId }: AftershockPlan): FragmentSqlToken {
  return mainId === null
    ? sql.fragment`time > ${mainTime}::timestamptz`
    : sql.fragment`time >= ${mainTime}::timestamptz and event_id <> ${mainId}`;
}

/** Columns of the rows of `eventPositions`, as texts; the time in milliseconds since 1970. */
export const POSITION = {
  id: 0,
  time: 1,
  latitude: 2,
  longitude: 3,
  depth: 4,
  magnitude: 5,
} as const;

/** Where, when and how large the events of a selection are that have a magnitude, by time, then id. */
export function eventPositions(client: ClientBase, selection: AnalysisSelection) {
  return copyRows(
    client,
    sql.fragment`
      select event_id, extract(epoch from time) * 1000, latitude, longitude, depth, magnitude
      from ${selectedEvents(selection)} and magnitude is not null
      order by time, event_id`,
  );
}

/**
 * The events of a role in a result of declustering: EVENT_COLUMNS, the cluster, 0 for none, and the
 * bulletin, by time.
 */
export function labelledEvents(
  client: ClientBase,
  version: VersionRows,
  { result, role }: { readonly result: string; readonly role: ClusterRole },
): AsyncGenerator<TextRow[]> {
  return copyRows(
    client,
    sql.fragment`
      select ${EVENT_COLUMNS}, cluster, ${bulletinColumn(undefined, "e")}
      from (select event_id, cluster, place from operations.decluster_labels
        where result = ${result}::uuid and ${ofRoleOf(role)}) l
      join read_model.seismic_events e using (event_id)
      where ${visibleAt(version)}
      order by place`,
  );
}
