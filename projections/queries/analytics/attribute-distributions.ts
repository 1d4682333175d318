import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { type MeasuredColumn, measuredEvents } from "./measured-events.ts";
import { type AnalysisSelection, aggregates } from "./selection.ts";

const Distribution = z.object({
  known: z.int(),
  missing: z.int(),
  zeros: z.int(),
  percentiles: z.array(z.number()).nullable(),
});

/** Of the values of an attribute; `percentiles` are as asked for, null where no value is known. */
export type Distribution = z.infer<typeof Distribution>;

export type DistributionColumn = MeasuredColumn & {
  readonly bins: { readonly width: number; readonly count: number };
};

/** One for each column, in its place. */
export async function distributions(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
  { columns, fractions }: { columns: readonly DistributionColumn[]; fractions: readonly number[] },
): Promise<readonly Distribution[]> {
  const shares = sql.array(fractions, "float8");
  const each = columns.map((column) => {
    const value = sql.identifier([column.attribute]);
    return sql.fragment`json_build_object(
      'known', count(*) filter (where ${isKnown(column)}),
      'missing', count(*) filter (where ${value} is null),
      'zeros', count(*) filter (where ${value} = 0),
      'percentiles', percentile_cont(${shares}) within group (order by ${value})
        filter (where ${isKnown(column)}))`;
  });
  const row = await aggregates(pool).one(sql.type(
    z.object({ distributions: z.array(Distribution) }),
  )`
    select json_build_array(${sql.join(each, sql.fragment`, `)}) as distributions
    from ${measuredEvents(selection, columns)}`);
  return row.distributions;
}

const BinCount = z.object({ column: z.int(), bin: z.int(), count: z.int() });

/** How many known values of a column a bin ⌊value / width⌋ has, as `valueBinOf` has it. */
export type BinCount = z.infer<typeof BinCount>;

export async function binCounts(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
  columns: readonly DistributionColumn[],
): Promise<readonly BinCount[]> {
  const values = columns.map((column, i) => {
    const { width, count } = column.bins;
    return sql.fragment`(${i}::int,
      case when ${isKnown(column)} then ${sql.identifier([column.attribute])} end,
      ${width}::double precision, ${count}::int)`;
  });
  return aggregates(pool).any(sql.type(BinCount)`
    select "column", bin, count(*)::int as count
    from (
      select "column", least(bins,
        floor(case when value < 1e-300 then 0 else value end / width + 1e-9))::int as bin
      from ${measuredEvents(selection, columns)}
        cross join lateral (values ${sql.join(values, sql.fragment`, `)})
          as each ("column", value, width, bins)
      where value is not null
    ) as binned
    group by 1, 2`);
}

function isKnown({ attribute, zeroIsUnknown }: MeasuredColumn) {
  const value = sql.identifier([attribute]);
  return zeroIsUnknown ? sql.fragment`${value} <> 0` : sql.fragment`${value} is not null`;
}
