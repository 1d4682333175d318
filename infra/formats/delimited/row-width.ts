import { normaliseName } from "#contracts/seismic-event/input-names.ts";
import { MAX_COLUMNS } from "./column-names.ts";

/** The columns that ISC's CSV repeats at a row's end, once for each magnitude (domain notes §2.6). */
const GROUP = ["author", "type", "mag"];

/**
 * How many fields of a record are read, null when their number does not fit the columns. Empty fields
 * at the end of a longer record are no fields. `given` are the header's own names.
 */
export function createRowWidth(
  given: readonly string[],
): (fields: readonly string[]) => number | null {
  const width = given.length;
  const repeats = given.slice(-GROUP.length).every((name, i) => normaliseName(name) === GROUP[i]);

  return (fields) => {
    let length = fields.length;
    while (length > width && fields[length - 1] === "") length--;
    if (length === width) return length;
    if (!repeats || length > MAX_COLUMNS) return null;
    const groups = Math.ceil((length - width) / GROUP.length);
    const whole = width + groups * GROUP.length;
    return groups >= -1 && whole <= fields.length ? whole : null;
  };
}
