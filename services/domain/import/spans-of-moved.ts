/** A span of time, both ends inclusive, in milliseconds since 1970. */
export type MillisecondSpan = { readonly from: number; readonly to: number };

/** Times in listings may be rounded to the second. */
const MARGIN_MS = 2_000;
/** Events that are read once more rather than asking twice. */
const NEAR = 10;
/** Most requests for what moved, as long as none of them has too many events. */
const MAX_SPANS = 40;

/**
 * Short spans around the events that moved, in order of time, for which they are asked in full. Near ones are
 * joined, and so are those with the fewest other events between them while there are too many.
 * @param moved times of the events that moved, milliseconds since 1970
 * @param listed times of all that were listed
 */
export function spansOfMoved(
  moved: readonly number[],
  listed: readonly number[],
): readonly MillisecondSpan[] {
  const times = Float64Array.from(moved).sort();
  const all = Float64Array.from(listed).sort();
  const gaps = gapsBetween(times, all)
    .filter(({ between, length }) => between > NEAR && length > 2 * MARGIN_MS)
    .sort((a, b) => b.between - a.between)
    .slice(0, MAX_SPANS - 1)
    .sort((a, b) => a.after - b.after);
  const spans: MillisecondSpan[] = [];
  let first = 0;
  for (const last of [...gaps.map(({ after }) => after), times.length - 1]) {
    const [from, to] = [times[first], times[last]];
    if (from === undefined || to === undefined) break;
    spans.push({ from: from - MARGIN_MS, to: to + MARGIN_MS });
    first = last + 1;
  }
  return spans;
}

type Gap = { readonly after: number; readonly between: number; readonly length: number };

/** The gaps between neighbours, and how many other events lie in each; one way through both lists. */
function gapsBetween(times: Float64Array, all: Float64Array): Gap[] {
  const gaps: Gap[] = [];
  let place = 0;
  for (let after = 0; after + 1 < times.length; after += 1) {
    const [time, next] = [times[after] as number, times[after + 1] as number];
    while (place < all.length && (all[place] as number) <= time) place += 1;
    const begin = place;
    while (place < all.length && (all[place] as number) < next) place += 1;
    gaps.push({ after, between: place - begin, length: next - time });
  }
  return gaps;
}
