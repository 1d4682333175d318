import type { EventPredicate, FilteredEvent } from "#contracts/query/event-predicate.ts";

export type FeedAction = "create" | "update" | "delete";

/** A change of an event: as it is after it, and as it was before it. */
export type EventStates<E> = { readonly before: E | null; readonly after: E | null };

/** `other`: how the event is outside the filter, where a revision has brought it in or out; else null. */
type FilteredChange<E> = {
  readonly action: FeedAction;
  readonly event: E;
  readonly other: E | null;
};

/**
 * What a change is to a feed with a filter: an event that enters the filter is created there, one that leaves
 * it is deleted; null where neither state satisfies it. A delete shows the event as it was.
 */
export function filteredChange<E extends FilteredEvent>(
  filter: EventPredicate,
  { before, after }: EventStates<E>,
): FilteredChange<E> | null {
  const was = before !== null && filter(before) ? before : null;
  const is = after !== null && filter(after) ? after : null;
  if (is !== null && was !== null) return { action: "update", event: is, other: null };
  if (is !== null) return { action: "create", event: is, other: before };
  return was === null ? null : { action: "delete", event: was, other: after };
}
