import { ATTRIBUTE_NAMES, type AttributeName } from "#contracts/seismic-event/attributes.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";

/**
 * Some agencies write 0 for an uncertainty, an RMS or a gap that is not known. No measurement is that
 * good, but elsewhere a 0 may be what its author meant: so it is told by the shape of the file.
 */
const UNKNOWN_AT_ZERO: readonly AttributeName[] = ATTRIBUTE_NAMES.filter(
  (name) => name.endsWith("_uncertainty") || name === "standard_error" || name === "azimuthal_gap",
);

export const ZERO_IS_UNKNOWN =
  '0 stands for "not known" in files like this; it is kept under extra';

export function isUnknownAtZero(name: string): boolean {
  return (UNKNOWN_AT_ZERO as readonly string[]).includes(name);
}

/** GeoNet's quakesearch, as CSV and from its map service, has these names run together. */
export function isQuakesearch(names: readonly string[]): boolean {
  return names.includes("publicid") && names.includes("origintime");
}

/** NERIES's QuakeML 1.0, told by its first tags. */
export function isNeries(head: string): boolean {
  return head.includes("quakeml.org/xmlns/quakeml/1.0") && head.includes('"smi:eu.emsc/');
}

/**
 * Makes zeros of rows with canonical names unknown, and gives those that a row had, null where it had
 * none. Such files hold thousands of them: each attribute is warned of once.
 */
export function createZeroTaker(): (
  row: JsonObject,
  warn: (message: string) => void,
) => JsonObject | null {
  const told = new Set<string>();
  return (row, warn) => {
    let zeros: JsonObject | null = null;
    for (const name of UNKNOWN_AT_ZERO) {
      if (row[name] !== 0) continue;
      row[name] = null;
      zeros ??= {};
      zeros[name] = 0;
      if (!told.has(name)) warn(`${name}: ${ZERO_IS_UNKNOWN}`);
      told.add(name);
    }
    return zeros;
  };
}
