import { normaliseName } from "./input-names.ts";

/**
 * The known name that is meant by another, as the end of a sentence: in another case, or an
 * abbreviation (`minmag`) of one name with which all others begin that it abbreviates, as clients of
 * event services write. Empty for none.
 */
export function meantName(key: string, known: readonly string[]): string {
  const written = normaliseName(key);
  const longer = known.filter((name) => normaliseName(name).startsWith(written));
  const [meant] = longer.filter((name) =>
    longer.every((other) => normaliseName(other).startsWith(normaliseName(name))),
  );
  return written === "" || meant === undefined ? "" : `; do you mean ${meant}?`;
}
