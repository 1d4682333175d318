import { types } from "pg";
import type { DriverTypeParser } from "slonik";

const { INT8, NUMERIC, DATE, TIMESTAMP, TIMESTAMPTZ } = types.builtins;

const asText = (value: string): string => value;

/**
 * How PostgreSQL's text form becomes a value, in every pool of the service. Times stay text: a Date
 * would lose the microseconds.
 */
const PARSERS = [
  { name: "int8", oid: INT8, parse: safeInteger },
  { name: "numeric", oid: NUMERIC, parse: Number },
  { name: "date", oid: DATE, parse: asText },
  { name: "timestamp", oid: TIMESTAMP, parse: asText },
  { name: "timestamptz", oid: TIMESTAMPTZ, parse: asText },
] as const;

export const SLONIK_TYPE_PARSERS: readonly DriverTypeParser[] = PARSERS;

export const PG_TYPE_PARSERS = {
  getTypeParser(oid: number, format?: "text" | "binary"): unknown {
    const own = format === "binary" ? undefined : PARSERS.find((parser) => parser.oid === oid);
    return own?.parse ?? types.getTypeParser(oid, format);
  },
};

/** @throws RangeError where a number would lose digits: such a column is selected as text. */
function safeInteger(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`int8 ${value} exceeds a safe integer`);
  return number;
}
