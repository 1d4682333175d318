import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { type Connection, isoTime, statementsOn } from "#infra/postgres/statements.ts";
import {
  type AnalysisSelection,
  asTimes,
  magnitudeBin,
  selectedEvents,
  TIMES_OF_GROUP,
} from "../conditions.ts";

/** The first and last time. */
const Times = z.object({ start: z.string(), end: z.string() });

const MagnitudeCount = Times.extend({
  value: z.number().nullable(),
  type: z.string().nullable(),
  count: z.int(),
});

/**
 * How many events have a magnitude and a type, with their first and last time. `value` is the bin
 * ⌊m / binWidth + 0.5 + 10⁻¹²⌋, as `binOf` has it, or the magnitude itself where the bins have no width;
 * null for events without magnitude.
 */
export type MagnitudeCount = z.infer<typeof MagnitudeCount>;

/** @param binWidth in magnitude units; 0 for the magnitudes as they are */
export function magnitudeCounts(pool: Connection, selection: AnalysisSelection, binWidth: number) {
  return statementsOn(pool).any(sql.type(MagnitudeCount)`
    select ${magnitudeBin(binWidth)} as value, magnitude_type as type, count(*)::int as count, ${TIMES_OF_GROUP}
    from ${selectedEvents(selection)}
    group by 1, 2`);
}

const Magnitudes = z.object({ magnitudes: z.instanceof(Buffer).nullable() });

/** All magnitudes as doubles of 8 bytes, the most significant first, in any order. */
export async function magnitudeList(pool: Connection, selection: AnalysisSelection) {
  const { magnitudes } = await statementsOn(pool).one(sql.type(Magnitudes)`
    select string_agg(float8send(magnitude), ''::bytea) as magnitudes
    from ${selectedEvents(selection)} and magnitude is not null`);
  return magnitudes ?? Buffer.alloc(0);
}

const Classes = z.object({ classes: z.instanceof(Buffer).nullable() });

/**
 * Magnitudes with their uncertainties, 0 for an unknown one, and the number of events that have both: three doubles
 * of 8 bytes each, the most significant first, in any order.
 */
export async function magnitudeErrors(pool: Connection, selection: AnalysisSelection) {
  const { classes } = await statementsOn(pool).one(sql.type(Classes)`
    select string_agg(
      float8send(magnitude) || float8send(sigma) || float8send(events), ''::bytea) as classes
    from (
      select magnitude, coalesce(magnitude_uncertainty, 0) as sigma,
        count(*)::double precision as events
      from ${selectedEvents(selection)} and magnitude is not null
      group by magnitude, sigma
    ) c`);
  return classes ?? Buffer.alloc(0);
}

/**
 * How far the magnitudes from Mc up are above it: of one magnitude type, or of all together. `filled`
 * are unlike magnitudes, `mean` is m̄ − Mc, `squares` Σ(m − m̄)².
 */
const TypeExcess = z.object({
  all: z.boolean(),
  type: z.string().nullable(),
  n: z.int(),
  filled: z.int(),
  mean: z.number(),
  squares: z.number(),
});

export function magnitudeExcess(pool: Connection, selection: AnalysisSelection, mc: number) {
  return statementsOn(pool).any(sql.type(TypeExcess)`
    select grouping(magnitude_type) = 1 as all, magnitude_type as type, count(*)::int as n,
      count(distinct magnitude)::int as filled, avg(magnitude - ${mc}::double precision) as mean,
      regr_sxx(magnitude, magnitude) as squares
    from ${selectedEvents(selection)} and magnitude >= ${mc}::double precision
    group by grouping sets ((), (magnitude_type))
    having count(*) > 0`);
}

const Rise = z.object({ rise: z.number(), count: z.int() });

/**
 * How often the magnitude rises by so many bins from one event to the next in time, among those from a
 * bin up, as `risesOf` has it.
 */
export async function magnitudeRises(
  pool: Connection,
  selection: AnalysisSelection,
  { binWidth, from, least }: Record<"binWidth" | "from" | "least", number>,
) {
  const rows = await statementsOn(pool).any(sql.type(Rise)`
    select rise, count(*)::int as count
    from (
      select bin - lag(bin) over (order by time, source_id, event_id) as rise
      from (
        select ${magnitudeBin(binWidth)} as bin, time, source_id, event_id
        from ${selectedEvents(selection)}
      ) as bins
      where bin >= ${from}::double precision
    ) as rises
    where rise >= ${least}::double precision
    group by rise`);
  return new Map(rows.map(({ rise, count }) => [rise, count]));
}

const BinCount = z.object({ bin: z.number(), count: z.int() });

/** Magnitudes from a bin up, and the year from which on they count. */
export type BinSince = { readonly bin: number; readonly since: number };

/** Events by bin, each bin from the year of the last class that it is not below. */
export async function countsSince(
  pool: Connection,
  selection: AnalysisSelection,
  { binWidth, classes }: { readonly binWidth: number; readonly classes: readonly BinSince[] },
): Promise<ReadonlyMap<number, number>> {
  const bins = classes.map(({ bin }) => bin);
  const years = classes.map(({ since }) => since);
  const rows = await statementsOn(pool).any(sql.type(BinCount)`
    select bin, count(*)::int as count
    from (
      select ${magnitudeBin(binWidth)} as bin, extract(year from time at time zone 'UTC') as year
      from ${selectedEvents(selection)}
    ) as bins
    where year >= (${sql.array(years, "int4")})[width_bucket(bin, ${sql.array(bins, "float8")})]
    group by bin`);
  return new Map(rows.map(({ bin, count }) => [bin, count]));
}

const BlockCount = Times.extend({ block: z.number(), bin: z.number(), count: z.int() });

/** The events of one bin in one block of time, with their first and last time. */
export type BlockCount = z.infer<typeof BlockCount>;

/** Blocks of so many months from January of a year on, or of so many events in order of time. */
export type Blocks =
  | { readonly months: number; readonly sinceYear: number }
  | { readonly events: number };

/** Events with a magnitude by block, numbered from 0, and bin. */
export function magnitudeBlocks(
  pool: Connection,
  selection: AnalysisSelection,
  { binWidth, blocks }: { readonly binWidth: number; readonly blocks: Blocks },
) {
  return statementsOn(pool).any(sql.type(BlockCount)`
    select block, bin, count(*)::int as count, ${TIMES_OF_GROUP}
    from (
      select ${blockOf(blocks)} as block, ${magnitudeBin(binWidth)} as bin, time
      from ${selectedEvents(selection)} and magnitude is not null
    ) as bins
    group by 1, 2
    order by 1, 2`);
}

function blockOf(blocks: Blocks): FragmentSqlToken {
  if ("events" in blocks) {
    return sql.fragment`
      ((row_number() over (order by time, event_id) - 1) / ${blocks.events}::int)::double precision`;
  }
  const months = sql.fragment`
    (extract(year from time at time zone 'UTC') - ${blocks.sinceYear}::int) * 12
      + extract(month from time at time zone 'UTC') - 1`;
  return sql.fragment`floor((${months}) / ${blocks.months}::int)::double precision`;
}

/** Stretches of time from the first event to the last. */
const COLUMNS = 240;
/** Of magnitudes, in magnitude units. */
const BIN_WIDTH = 0.1;
/** Between the shallowest event and the deepest. */
const DEPTH_ROWS = 60;

const TimeCell = z.object({
  of: z.enum(["magnitude", "depth"]),
  start: z.string(),
  end: z.string(),
  low: z.number().describe("magnitude, or km"),
  high: z.number(),
  count: z.int(),
});

const MagnitudesOverTime = z.object({
  n: z.int().describe("events that have a magnitude"),
  start: z.string().nullable(),
  end: z.string().nullable(),
  events: z.array(
    z.object({ time: z.string(), magnitude: z.number(), depth: z.number().nullable() }),
  ),
  bins: z.array(TimeCell).nullable(),
});

/**
 * The events that have a magnitude, in order of time, depths in km. Of more than `most`, the `largest` alone
 * are given, and all are counted by time and magnitude, and by time and depth; cells without events are
 * left out.
 */
export function magnitudesOverTime(
  pool: Connection,
  selection: AnalysisSelection,
  { most, largest }: Record<"most" | "largest", number>,
) {
  return statementsOn(pool).one(sql.type(MagnitudesOverTime)`
    with known as materialized (
      select event_id, time, magnitude, depth
      from ${selectedEvents(selection)} and magnitude is not null
    ),
    spans as materialized (
      select count(*)::int as n, min(time) as first, max(time) as last,
        greatest(extract(epoch from max(time) - min(time)), 1)::double precision / ${COLUMNS} as step,
        min(depth) as shallowest,
        greatest(max(depth) - min(depth), 1) / ${DEPTH_ROWS} as height
      from known
    ),
    shown as (
      select time, magnitude, depth from known, spans where n <= ${most}
      union all (
        select time, magnitude, depth from known, spans where n > ${most}
        order by magnitude desc, time, event_id limit ${largest}
      )
    ),
    placed as (
      select least(floor(extract(epoch from time - first) / step), ${COLUMNS - 1})::int as at,
        ${magnitudeBin(BIN_WIDTH)}::int as bin,
        least(floor((depth - shallowest) / height), ${DEPTH_ROWS - 1})::int as layer
      from known, spans where n > ${most}
    ),
    counted as (
      select 'magnitude' as of, at, (bin - 0.5) * ${BIN_WIDTH}::double precision as low,
        (bin + 0.5) * ${BIN_WIDTH}::double precision as high, count(*)::int as count
      from placed group by at, bin
      union all
      select 'depth', at, shallowest + layer * height, shallowest + (layer + 1) * height, count(*)::int
      from placed, spans where layer is not null group by at, layer, shallowest, height
    ),
    cells as (
      select json_agg(json_build_object('of', of, 'start', ${timeAt(sql.fragment`at`)},
        'end', ${timeAt(sql.fragment`at + 1`)}, 'low', low, 'high', high, 'count', count)) as bins
      from counted, spans
    )
    select n, ${asTimes(sql.fragment`first`, sql.fragment`last`)}, bins,
      (
        select coalesce(json_agg(json_build_object('time', ${isoTime("time")},
          'magnitude', magnitude, 'depth', depth) order by time), '[]')
        from shown
      ) as events
    from spans, cells`);
}

/** Where a stretch of time begins. */
function timeAt(column: ReturnType<typeof sql.fragment>) {
  return sql.fragment`
    to_char((first + make_interval(secs => step * (${column}))) at time zone 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
