import { normaliseName } from "./input-names.ts";

/**
 * The known name that is meant by another, as the end of a sentence: in another case, a letter or two off, or an
 * abbreviation (`minmag`) of one name with which all others begin that it abbreviates, as clients of event services
 * write. Empty for none.
 */
export function meantName(key: string, known: readonly string[]): string {
  const written = normaliseName(key);
  const longer = known.filter((name) => normaliseName(name).startsWith(written));
  const [abbreviated] = longer.filter((name) =>
    longer.every((other) => normaliseName(other).startsWith(normaliseName(name))),
  );
  const meant = abbreviated ?? nearestName(written, known);
  return written === "" || meant === undefined ? "" : `; do you mean ${meant}?`;
}

/** Longer ones are not misspelt names. */
const MAX_LENGTH = 40;

/** The name that is the fewest letters off: one of short names, two of others. */
function nearestName(written: string, known: readonly string[]): string | undefined {
  if (written.length > MAX_LENGTH) return undefined;
  const most = written.length <= 4 ? 1 : 2;
  const [nearest] = known
    .map((name) => ({ name, off: lettersOff(written, normaliseName(name)) }))
    .filter(({ off }) => off <= most)
    .sort((a, b) => a.off - b.off);
  return nearest?.name;
}

/** Letters to be added, left out, exchanged or swapped with the next (optimal string alignment). */
function lettersOff(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
