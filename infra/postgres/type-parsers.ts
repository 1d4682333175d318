import { types } from "pg";

const { INT8, NUMERIC, DATE, TIMESTAMP, TIMESTAMPTZ } = types.builtins;

/** Types of arrays, which pg does not name (PostgreSQL's pg_type.dat). */
const TEXT_ARRAY: number = 1009;
const [INT8_ARRAY, NUMERIC_ARRAY, DATE_ARRAY] = [1016, 1231, 1182];
const [TIMESTAMP_ARRAY, TIMESTAMPTZ_ARRAY] = [1115, 1185];

type Parse = (value: string) => unknown;

const asText: Parse = (value) => value;

const readTexts: (value: string) => (string | null)[] = types.getTypeParser(TEXT_ARRAY);

/** From PostgreSQL's text form, in every pool. Times stay text: a Date loses microseconds. */
const PARSERS: ReadonlyMap<number, Parse> = new Map([
  [INT8, safeInteger],
  [INT8_ARRAY, arrayOf(safeInteger)],
  [NUMERIC, Number],
  [NUMERIC_ARRAY, arrayOf(Number)],
  [DATE, asText],
  [DATE_ARRAY, arrayOf(asText)],
  [TIMESTAMP, asText],
  [TIMESTAMP_ARRAY, arrayOf(asText)],
  [TIMESTAMPTZ, asText],
  [TIMESTAMPTZ_ARRAY, arrayOf(asText)],
]);

export const PG_TYPE_PARSERS = {
  getTypeParser(oid: number, format?: "text" | "binary"): unknown {
    const own = format === "binary" ? undefined : PARSERS.get(oid);
    return own ?? types.getTypeParser(oid, format);
  },
};

function arrayOf(parse: Parse): Parse {
  return (value) => readTexts(value).map((text) => (text === null ? null : parse(text)));
}

/** @throws RangeError when a number would lose digits; select such a column as text */
function safeInteger(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`int8 ${value} exceeds a safe integer`);
  return number;
}
