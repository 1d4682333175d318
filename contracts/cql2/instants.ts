import { type Expression, negated, type Operator } from "../query/expression.ts";
import { parseTime } from "../seismic-event/parse-time.ts";
import { Cql2Fault } from "./cql2-fault.ts";
import type { Operand } from "./operand.ts";

/** What a date or a time says: the first and the last microsecond of it, canonical. */
export type Instant = { readonly first: string; readonly last: string };

const DATE = /^\d{4}-\d\d-\d\d$/;
/** RFC 3339, `date-time`. */
const TIMESTAMP = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/**
 * A date is the whole day in UTC, since origin times are timestamps. A text is cast, as clients of the drafts
 * of CQL write times.
 * @throws Cql2Fault
 */
export function instantOf(operand: Operand): Instant {
  switch (operand.kind) {
    case "date":
      return instantIn(operand.text, DATE, operand);
    case "timestamp":
      return instantIn(operand.text, TIMESTAMP, operand);
    case "text":
      return instantIn(operand.value, null, operand);
    default:
      throw new Cql2Fault("a time is expected here", operand.at);
  }
}

function instantIn(text: string, form: RegExp | null, { at }: Operand): Instant {
  const first = form === null || form.test(text) ? parseTime(text.replace(/T$/, "")) : null;
  if (first === null) throw new Cql2Fault(`"${text}" is no such time`, at);
  if (!DATE.test(text)) return { first, last: first };
  return { first, last: `${text}T23:59:59.999999Z` };
}

/** Where the origin time stands to an instant. */
export function timeIs(operator: Operator, { first, last }: Instant): Expression {
  const is = (than: Operator, value: string): Expression => ({
    kind: "compare",
    property: "time",
    operator: than,
    value,
  });
  switch (operator) {
    case "=":
      return first === last ? is("=", first) : { all: [is(">=", first), is("<=", last)] };
    case "<>":
      return negated(timeIs("=", { first, last }));
    case "<":
    case ">=":
      return is(operator, first);
    default:
      return is(operator, last);
  }
}
