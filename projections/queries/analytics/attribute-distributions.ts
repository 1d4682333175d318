import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { type MeasuredColumn, measuredEvents } from "./measured-events.ts";
import { type AnalysisSelection, aggregates, inWidths } from "./selection.ts";

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
  // A pass for each column can be shared by several workers, unlike one over all columns as rows.
  const each = columns.map((column, i) => {
    const { width, count } = column.bins;
    const value = sql.fragment`${sql.identifier([column.attribute])}`;
    return sql.fragment`
      select ${i}::int as "column",
        least(${count}::int, floor(${inWidths(value, width)} + 1e-9))::int as bin,
        count(*)::int as count
      from ${measuredEvents(selection, [column])}
      where ${isKnown(column)}
      group by 2`;
  });
  return aggregates(pool).any(sql.type(BinCount)`${sql.join(each, sql.fragment` union all `)}`);
}

function isKnown({ attribute, zeroIsUnknown }: MeasuredColumn) {
  const value = sql.identifier([attribute]);
  return zeroIsUnknown ? sql.fragment`${value} <> 0` : sql.fragment`${value} is not null`;
}
