import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { type Connection, statementsOn } from "#infra/postgres/statements.ts";
import { type AnalysisSelection, inWidths, selectedEvents, TIMES_OF_GROUP } from "../conditions.ts";

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
  pool: Connection,
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
  const row = await statementsOn(pool).one(sql.type(
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
  pool: Connection,
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
  return statementsOn(pool).any(sql.type(BinCount)`${sql.join(each, sql.fragment` union all `)}`);
}

function isKnown({ attribute, zeroIsUnknown }: MeasuredColumn) {
  const value = sql.identifier([attribute]);
  return zeroIsUnknown ? sql.fragment`${value} <> 0` : sql.fragment`${value} is not null`;
}

const QualityCount = z.object({
  q: z.int(),
  count: z.int(),
  documented: z.number(),
  gapAbove180: z.int(),
  start: z.string(),
  end: z.string(),
});

/**
 * Events of one quality Q, the sum of the parts of it that are documented, and how many of the events
 * have an azimuthal gap above 180°.
 */
export type QualityCount = z.infer<typeof QualityCount>;

type Piece = {
  readonly below: number | null;
  readonly base: number;
  readonly slope: number;
  readonly from: number;
};

/** A penalty that is linear between bounds; `worst` is that of an unknown value. */
type Rule = {
  readonly attribute: string;
  readonly worst: number;
  readonly pieces: readonly Piece[];
};

/** How Q is made of its parts: weights, and penalties of 100 points. */
export type QualityPlan = {
  readonly columns: readonly MeasuredColumn[];
  readonly parts: readonly { readonly weight: number; readonly rules: readonly Rule[] }[];
  readonly evaluation: {
    readonly weight: number;
    readonly notManual: number;
    readonly statuses: Readonly<Record<string, number>>;
    readonly noStatus: number;
  };
};

/** Q is rounded half up, as `gradeOf` does it. */
export function qualityCounts(pool: Connection, selection: AnalysisSelection, plan: QualityPlan) {
  return statementsOn(pool).any(sql.type(QualityCount)`
    select q::int as q, count(*)::int as count, sum(documented) as documented,
      count(*) filter (where azimuthal_gap > 180)::int as "gapAbove180", ${TIMES_OF_GROUP}
    from (
      select time, azimuthal_gap, floor(${pointsOf(plan)} + (0.5 + 1e-9::double precision)) as q,
        ${documentedOf(plan)} as documented
      from ${measuredEvents(selection, plan.columns)}
    ) as graded
    group by 1`);
}

const double = (value: number) => sql.fragment`${value}::double precision`;

function sumOf(terms: readonly FragmentSqlToken[]): FragmentSqlToken {
  return sql.fragment`(${sql.join(terms, sql.fragment` + `)})`;
}

function pointsOf({ parts, evaluation }: QualityPlan): FragmentSqlToken {
  const measured = parts.map(
    ({ weight, rules }) => sql.fragment`${double(weight)} * (100 - ${sumOf(rules.map(penaltyOf))})`,
  );
  const { weight, notManual, statuses, noStatus } = evaluation;
  const ofStatus = Object.entries(statuses).map(
    ([status, penalty]) => sql.fragment`when ${status} then ${double(penalty)}`,
  );
  const evaluated = sql.fragment`${double(weight)} * (100 - least(100,
    case when evaluation_mode = 'manual' then 0 else ${double(notManual)} end
    + case coalesce(evaluation_status, '') when '' then ${double(noStatus)}
      ${sql.join(ofStatus, sql.fragment` `)} else 0 end))`;
  return sumOf([...measured, evaluated]);
}

function penaltyOf({ attribute, worst, pieces }: Rule): FragmentSqlToken {
  const value = sql.identifier([attribute]);
  const branches = pieces.map(({ below, base, slope, from }) => {
    const penalty = sql.fragment`${double(base)} + ${double(slope)} * (${value} - ${double(from)})`;
    return below === null
      ? sql.fragment`else ${penalty}`
      : sql.fragment`when ${value} < ${double(below)} then ${penalty}`;
  });
  return sql.fragment`case when ${value} is null then ${double(worst)}
    ${sql.join(branches, sql.fragment` `)} end`;
}

function documentedOf({ parts, evaluation }: QualityPlan): FragmentSqlToken {
  const known = parts.flatMap(({ weight, rules }) =>
    rules.map(
      ({ attribute, worst }) => sql.fragment`
        case when ${sql.identifier([attribute])} is null then 0
          else ${double((weight * worst) / 100)} end`,
    ),
  );
  const half = double(evaluation.weight / 2);
  return sumOf([
    ...known,
    sql.fragment`case when evaluation_mode is null then 0 else ${half} end`,
    sql.fragment`case when evaluation_status is null then 0 else ${half} end`,
  ]);
}

/** A column of read_model.seismic_events, and the names under which files have it. */
type MeasuredColumn = {
  readonly attribute: string;
  readonly zeroIsUnknown: boolean;
  readonly names: readonly string[];
};

/**
 * The events with these columns as doubles. A 0 that was read as unknown and kept under `extra` is a 0
 * again, so that it can be told from a value that is missing.
 */
function measuredEvents(selection: AnalysisSelection, columns: readonly MeasuredColumn[]) {
  const measured = columns.map((column) => {
    const name = sql.identifier([column.attribute]);
    const value = sql.fragment`${name}::double precision`;
    if (!column.zeroIsUnknown) return sql.fragment`${value} as ${name}`;
    const keptZero = `"(${column.names.join("|")})":0[,}]`;
    const zeros = column.names.map((key) => sql.fragment`extra ->> ${key}`);
    // The text is searched first: few events have such a zero, and members cost more to look up.
    return sql.fragment`
      coalesce(${value}, case when extra::text ~ ${keptZero} then
        case when '0' in (${sql.join(zeros, sql.fragment`, `)}) then 0 end end) as ${name}`;
  });
  return sql.fragment`(
    select time, evaluation_mode, evaluation_status, ${sql.join(measured, sql.fragment`, `)}
    from ${selectedEvents(selection)}
  ) as measured`;
}
