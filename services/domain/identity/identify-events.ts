import { bareId, bareIdOf, type EventIds } from "#contracts/seismic-event/public-id.ts";
import { createIdMarks, type MarkPlace } from "./id-marks.ts";
import type { KnownEvent, KnownEvents } from "./known-events.ts";

/** An event given for the first time, and where its ids are stored. */
export type GivenEvent = EventIds & {
  readonly sourcePlace: MarkPlace | null;
  readonly publicPlace: MarkPlace | null;
};

/** The event of the catalogue that a given one corresponds to. */
export type Identified<K extends KnownEvent> =
  | { readonly outcome: "known"; readonly event: K }
  /** Not in the catalogue; `sourceId` is the `source_id` under which to add it. */
  | { readonly outcome: "new"; readonly sourceId: string | null }
  /** Its ids match several events of the catalogue, or one that was matched before. */
  | { readonly outcome: "unclear" };

/** Distinguishes the events of one import or submission (infra/decisions/0024). */
export type EventIdentifier = {
  /**
   * Registers a given event; null for a repetition: the same public id came before, or the same
   * `source_id` and one of the two events has no public id.
   */
  readonly take: (ids: EventIds) => GivenEvent | null;
  /** Called once for each registered event, in the same order. */
  readonly identify: <K extends KnownEvent>(
    given: GivenEvent,
    known: KnownEvents<K>,
  ) => Identified<K>;
};

/**
 * Marks of ids that were given: as a public id, as `source_id` beside one, as `source_id` without
 * one.
 */
const PUBLIC = 1;
const BESIDE_PUBLIC = 2;
const ALONE = 4;
/**
 * Marks of ids that a matched or added event has: as `source_id`, as public id, or as bare id
 * without being its `source_id`.
 */
const TAKEN = 8;
const MET = 16;
const BORNE = 32;

/**
 * Lookups show the catalogue before the first event, so later changes are tracked here. At most one
 * given event matches an event of the catalogue.
 */
export function createEventIdentifier(): EventIdentifier {
  const marks = createIdMarks();
  const has = (place: MarkPlace | null, mark: number) =>
    place !== null && (marks.at(place) & mark) !== 0;

  function take({ sourceId, publicId }: EventIds): GivenEvent | null {
    const sourcePlace = sourceId === null ? null : marks.ofSourceId(sourceId);
    const publicPlace = publicId === null ? null : marks.ofPublicId(publicId);
    const isAlone = publicPlace === null;
    if (has(publicPlace, PUBLIC)) return null;
    if (has(sourcePlace, isAlone ? ALONE | BESIDE_PUBLIC : ALONE)) return null;
    if (publicPlace !== null) marks.add(publicPlace, PUBLIC);
    if (sourcePlace !== null) marks.add(sourcePlace, isAlone ? ALONE : BESIDE_PUBLIC);
    return { sourceId, publicId, sourcePlace, publicPlace };
  }

  const isTaken = (sourceId: string) => has(marks.ofSourceId(sourceId), TAKEN);

  const isMet = ({ sourceId, publicId }: EventIds) =>
    (sourceId !== null && isTaken(sourceId)) ||
    (publicId !== null && has(marks.ofPublicId(publicId), MET));

  /** Records the ids that the given event has from now on. */
  function settle(sourceId: string | null, publicId: string | null, given: GivenEvent): void {
    if (sourceId !== null) {
      const isGiven = sourceId === given.sourceId && given.sourcePlace !== null;
      marks.add(isGiven ? given.sourcePlace : marks.ofSourceId(sourceId), TAKEN);
    }
    if (publicId === null) return;
    // A given event has its own public id, which is not looked up again.
    if (given.publicId === null) marks.add(marks.ofPublicId(publicId), MET);
    if (publicId === sourceId) marks.add(marks.ofSourceId(bareId(publicId)), BORNE);
  }

  function meet<K extends KnownEvent>(event: K, given: GivenEvent): Identified<K> {
    if (isMet(event)) return { outcome: "unclear" };
    settle(event.sourceId, event.publicId, given);
    return { outcome: "known", event };
  }

  function identifyPublic<K extends KnownEvent>(
    given: GivenEvent,
    publicId: string,
    known: KnownEvents<K>,
  ): Identified<K> {
    if (has(given.publicPlace, MET)) return { outcome: "unclear" };
    const same = known.withPublicId(publicId);
    if (same !== undefined) return meet(same, given);
    const bare = bareIdOf(given);
    const namesake = bare === null ? undefined : known.withSourceId(bare);
    if (namesake?.publicId === null && !isMet(namesake)) return meet(namesake, given);
    const sourceId = freeSourceId(given, publicId, known);
    settle(sourceId, publicId, given);
    return { outcome: "new", sourceId };
  }

  /** The event's own `source_id`, else its public id; null when another event has that too. */
  function freeSourceId(
    { sourceId, sourcePlace }: GivenEvent,
    publicId: string,
    known: KnownEvents<KnownEvent>,
  ): string | null {
    if (sourceId === null) return null;
    if (!has(sourcePlace, TAKEN) && known.withSourceId(sourceId) === undefined) return sourceId;
    const isFree = !isTaken(publicId) && known.withSourceId(publicId) === undefined;
    return isFree ? publicId : null;
  }

  function identifyBare<K extends KnownEvent>(
    given: GivenEvent,
    sourceId: string,
    known: KnownEvents<K>,
  ): Identified<K> {
    const namesake = known.withSourceId(sourceId);
    const others = known.underPublicId(sourceId);
    if (namesake !== undefined) {
      const isOneOfSeveral = others.length > 0 || has(given.sourcePlace, BORNE);
      if (namesake.publicId !== null && isOneOfSeveral) return { outcome: "unclear" };
      return meet(namesake, given);
    }
    const [only, ...further] = others.filter((event) => !isMet(event));
    if (has(given.sourcePlace, TAKEN) || further.length > 0) return { outcome: "unclear" };
    if (only !== undefined) return meet(only, given);
    settle(sourceId, null, given);
    return { outcome: "new", sourceId };
  }

  return {
    take,
    identify(given, known) {
      const { sourceId, publicId } = given;
      if (publicId !== null) return identifyPublic(given, publicId, known);
      if (sourceId !== null) return identifyBare(given, sourceId, known);
      return { outcome: "new", sourceId: null };
    },
  };
}
