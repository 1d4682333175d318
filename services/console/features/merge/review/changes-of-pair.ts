import type { Change, SeismicEvent } from "../../../api/diff.ts";
import type { ReviewPair } from "./queue.ts";

/** Those changes of a refresh that are about a pair: of merged events that have, or had, one of its events. */
export function changesOfPair(
  changes: readonly Change[],
  { first, second }: Pick<ReviewPair, "first" | "second">,
): readonly Change[] {
  const ids = [first.event_id, second.event_id];
  const has = (event: SeismicEvent | undefined) =>
    event?.source_events?.some(({ event_id: id }) => id !== null && ids.includes(id)) ?? false;
  return changes.filter(({ event, before }) => has(event) || has(before));
}
