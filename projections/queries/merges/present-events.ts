import type { CommonQueryMethods } from "slonik";
import type { DecidedEvent } from "#contracts/merge/merge-decision.ts";
import { followedEvents } from "./followed-events.ts";

type Source = { readonly id: string; readonly key: number; readonly version: number };
type Decided = { readonly events: readonly DecidedEvent[] };

/**
 * The events of decisions as they are in the latest versions of their sources: each list has those that are there,
 * by the ids that they have now, once each.
 * @param sources those that are there for whoever asks; of events of others nothing is told
 */
export async function presentEvents(
  statements: Pick<CommonQueryMethods, "any">,
  sources: readonly Source[],
  decisions: readonly Decided[],
): Promise<DecidedEvent[][]> {
  const named = Map.groupBy(
    decisions.flatMap(({ events }) => events),
    ({ catalogue_id }) => catalogue_id,
  );
  const followed = new Map<string, Map<string, string>>();
  for (const source of sources) {
    const ids = (named.get(source.id) ?? []).map(({ event_id }) => event_id);
    if (ids.length > 0) followed.set(source.id, await followedEvents(statements, source, ids));
  }
  return decisions.map(({ events }) => {
    const present = new Map<string, DecidedEvent>();
    for (const { catalogue_id, event_id } of events) {
      const now = followed.get(catalogue_id)?.get(event_id);
      if (now !== undefined) present.set(`${catalogue_id}/${now}`, { catalogue_id, event_id: now });
    }
    return [...present.values()];
  });
}
