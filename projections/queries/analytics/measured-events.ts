import { type FragmentSqlToken, sql } from "slonik";
import { type AnalysisSelection, selectedEvents } from "./selection.ts";

/** A column of read_model.seismic_events, and the names under which files have it. */
export type MeasuredColumn = {
  readonly attribute: string;
  readonly zeroIsUnknown: boolean;
  readonly names: readonly string[];
};

/**
 * The events with these columns as doubles. A 0 that was read as unknown and kept under `extra` is a 0
 * again, so that it can be told from a value that is missing.
 */
export function measuredEvents(
  selection: AnalysisSelection,
  columns: readonly MeasuredColumn[],
): FragmentSqlToken {
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
