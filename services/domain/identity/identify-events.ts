import {
  bareId,
  bareIdOf,
  type EventIds,
  fitsSourceId,
} from "#contracts/seismic-event/public-id.ts";
import { createIdMarks } from "./id-marks.ts";
import type { KnownEvent, KnownEvents } from "./known-events.ts";

/** Which event of a catalogue is given. */
export type Identified<K extends KnownEvent> =
  | { readonly outcome: "known"; readonly event: K }
  /** None that the catalogue has: the `source_id` under which it is added. */
  | { readonly outcome: "new"; readonly sourceId: string | null }
  /** One of those that it has, but which of them its ids don't tell, or one that was given before. */
  | { readonly outcome: "unclear" };

/** Tells the events apart that one import or one submission gives (infra/decisions/0021). */
export type EventIdentifier = {
  /**
   * Whether the event was given before: under the same public id, or under the same `source_id` where
   * one of the two has no public id.
   */
  readonly hasCome: (given: EventIds) => boolean;
  /** Asked once for each event that has not come before. */
  readonly identify: <K extends KnownEvent>(
    given: EventIds,
    known: KnownEvents<K>,
  ) => Identified<K>;
};

/** Marks of an id. It was given: as a public id, as `source_id` beside one, as `source_id` without. */
const PUBLIC = 1;
const BESIDE_PUBLIC = 2;
const ALONE = 4;
/** An event that was met or added has it: as `source_id`, as public id, as bare id under which it is not. */
const TAKEN = 8;
const MET = 16;
const BORNE = 32;

/**
 * What the catalogue has is looked up as it was before the first event, so what has become of it since
 * is remembered here. An event of the catalogue is met by one that is given, at most.
 */
export function createEventIdentifier(): EventIdentifier {
  const marks = createIdMarks();
  const has = (id: string | null, mark: number) => id !== null && (marks.of(id) & mark) !== 0;

  function hasCome({ sourceId, publicId }: EventIds): boolean {
    if (publicId === null) {
      if (has(sourceId, ALONE | BESIDE_PUBLIC)) return true;
      if (sourceId !== null) marks.add(sourceId, ALONE);
      return false;
    }
    if (has(publicId, PUBLIC) || has(sourceId, ALONE)) return true;
    if (sourceId !== null) marks.add(sourceId, BESIDE_PUBLIC);
    marks.add(publicId, PUBLIC);
    return false;
  }

  function settle({ sourceId, publicId }: EventIds, given: EventIds): void {
    if (sourceId !== null) marks.add(sourceId, TAKEN);
    if (publicId === null) return;
    // One that is given has come with it, and is not asked about again.
    if (given.publicId === null) marks.add(publicId, MET);
    if (publicId === sourceId) marks.add(bareId(publicId), BORNE);
  }

  const isMet = (event: EventIds) => has(event.sourceId, TAKEN) || has(event.publicId, MET);

  function meet<K extends KnownEvent>(event: K, given: EventIds): Identified<K> {
    if (isMet(event)) return { outcome: "unclear" };
    settle(event, given);
    return { outcome: "known", event };
  }

  function identifyPublic<K extends KnownEvent>(
    given: EventIds & { readonly publicId: string },
    known: KnownEvents<K>,
  ): Identified<K> {
    if (has(given.publicId, MET)) return { outcome: "unclear" };
    const same = known.withPublicId(given.publicId);
    if (same !== undefined) return meet(same, given);
    const bare = bareIdOf(given);
    const namesake = bare === null ? undefined : known.withSourceId(bare);
    if (namesake?.publicId === null && !isMet(namesake)) return meet(namesake, given);
    const sourceId = freeSourceId(given, known);
    settle({ ...given, sourceId }, given);
    return { outcome: "new", sourceId };
  }

  /** The event's own, else its public id; none where a hostile event has even that. */
  function freeSourceId(
    { sourceId, publicId }: EventIds & { readonly publicId: string },
    known: KnownEvents<KnownEvent>,
  ): string | null {
    const isFree = (id: string) => !has(id, TAKEN) && known.withSourceId(id) === undefined;
    if (sourceId === null || isFree(sourceId)) return sourceId;
    return fitsSourceId(publicId) && isFree(publicId) ? publicId : null;
  }

  function identifyBare<K extends KnownEvent>(
    given: EventIds & { readonly sourceId: string },
    known: KnownEvents<K>,
  ): Identified<K> {
    const { sourceId } = given;
    const namesake = known.withSourceId(sourceId);
    const others = known.underPublicId(sourceId);
    if (namesake !== undefined) {
      const isOneOfSeveral = others.length > 0 || has(sourceId, BORNE);
      if (namesake.publicId !== null && isOneOfSeveral) return { outcome: "unclear" };
      return meet(namesake, given);
    }
    const [only, ...further] = others.filter((event) => !isMet(event));
    if (has(sourceId, TAKEN) || further.length > 0) return { outcome: "unclear" };
    if (only !== undefined) return meet(only, given);
    settle(given, given);
    return { outcome: "new", sourceId };
  }

  return {
    hasCome,
    identify(given, known) {
      const { sourceId, publicId } = given;
      if (publicId !== null) return identifyPublic({ ...given, publicId }, known);
      if (sourceId !== null) return identifyBare({ ...given, sourceId }, known);
      return { outcome: "new", sourceId: null };
    },
  };
}
