import type { CommonQueryMethods } from "slonik";
import type { ReviewPair } from "#contracts/http/merges/review.ts";
import { type PairedEvent, pairedEvents } from "#projections/queries/merges/paired-events.ts";
import type { MergeRow } from "#projections/queries/merges/read-merge.ts";
import type { PairId, PairRow } from "#projections/queries/merges/review-queries.ts";

/** Pairs with both events as the versions have them that were merged; without those of which a source is gone. */
export async function shownPairs(
  pool: Pick<CommonQueryMethods, "any">,
  merge: MergeRow,
  rows: readonly PairRow[],
): Promise<ReviewPair[]> {
  const events = await eventsOf(pool, merge, rows);
  return rows.flatMap((row) => {
    const one = events.get(row.one);
    const other = events.get(row.other);
    if (one === undefined || other === undefined) return [];
    const { timeDifference, distance, magnitudeDifference, claimedBy, claimedAt, later, note } =
      row;
    const isClaimed = claimedBy !== null && claimedAt !== null;
    return [
      {
        id: pairText(row),
        first: row.isTurned ? other : one,
        second: row.isTurned ? one : other,
        time_difference: timeDifference,
        distance,
        magnitude_difference: magnitudeDifference,
        claim: isClaimed ? { user: claimedBy, at: claimedAt } : null,
        later,
        note,
      },
    ];
  });
}

/** How clients name a pair. */
function pairText({ one, other }: PairId): string {
  return `${one}.${other}`;
}

export function pairOfText(text: string): PairId {
  const [one = "", other = ""] = text.toLowerCase().split(".");
  return { one, other };
}

type SourceEvent = PairedEvent & { readonly catalogue_id: string; readonly source: string };

async function eventsOf(
  pool: Pick<CommonQueryMethods, "any">,
  { sources, latest }: MergeRow,
  rows: readonly PairRow[],
): Promise<Map<string, SourceEvent>> {
  const named = Map.groupBy(
    rows.flatMap(({ one, other, sourceOfOne, sourceOfOther }) => [
      { id: one, source: sourceOfOne },
      { id: other, source: sourceOfOther },
    ]),
    ({ source }) => source,
  );
  const events = new Map<string, SourceEvent>();
  for (const { id, version, source } of sources) {
    const key = latest.find((one) => one.id === id)?.key;
    const ids = (named.get(id) ?? []).map((one) => one.id);
    if (key === undefined || ids.length === 0) continue;
    for (const [eventId, event] of await pairedEvents(pool, { key, version }, ids)) {
      events.set(eventId, { ...event, catalogue_id: id, source });
    }
  }
  return events;
}
