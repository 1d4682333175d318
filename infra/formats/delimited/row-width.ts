import { normaliseName } from "#contracts/seismic-event/input-names.ts";
import { MAX_COLUMNS } from "./columns.ts";

/** Columns that ISC's CSV repeats at the end of a row, once per magnitude. */
const REPEATED = ["author", "type", "mag"];

/**
 * The number of fields to read, without empty ones beyond the columns; null when it does not fit.
 */
export function createRowWidth(
  own: readonly string[],
): (fields: readonly string[]) => number | null {
  const width = own.length;
  const repeats = own
    .slice(-REPEATED.length)
    .every((name, i) => normaliseName(name) === REPEATED[i]);

  return (fields) => {
    let length = fields.length;
    while (length > width && fields[length - 1] === "") length--;
    if (length === width) return length;
    if (!repeats || length > MAX_COLUMNS) return null;
    const groups = Math.ceil((length - width) / REPEATED.length);
    const whole = width + groups * REPEATED.length;
    return groups >= -1 && whole <= fields.length ? whole : null;
  };
}
