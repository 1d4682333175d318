import { normaliseName } from "./input-names.ts";

/**
 * The known name that is meant by another, as the end of a sentence: in another case, or an
 * abbreviation that only one name has (`minmag`), as clients of event services write. Empty for none.
 */
export function meantName(key: string, known: readonly string[]): string {
  const written = normaliseName(key);
  const longer = known.filter((name) => normaliseName(name).startsWith(written));
  const [meant] = longer.filter((name) => normaliseName(name) === written || longer.length === 1);
  return written === "" || meant === undefined ? "" : `; do you mean ${meant}?`;
}
