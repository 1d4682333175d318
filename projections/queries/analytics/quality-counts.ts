import type { Pool } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { type MeasuredColumn, measuredEvents } from "./measured-events.ts";
import { type AnalysisSelection, aggregates, TIMES_OF_GROUP } from "./selection.ts";

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
export async function qualityCounts(
  pool: Pick<Pool, "query">,
  selection: AnalysisSelection,
  plan: QualityPlan,
): Promise<readonly QualityCount[]> {
  return aggregates(pool).any(sql.type(QualityCount)`
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
