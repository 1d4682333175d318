import { bareId, type EventIds } from "#contracts/seismic-event/public-id.ts";
import { createIdMarks, type MarkPlace } from "./id-marks.ts";

/** The ids of an event, and those that its agency says they replaced or stand beside, the nearest first. */
export type GivenIds = EventIds & { readonly others?: readonly string[] | undefined };

/** The ids of an event that came for the first time, and where they are stored. */
export type StoredIds = GivenIds & {
  readonly sourcePlace: MarkPlace | null;
  readonly publicPlace: MarkPlace | null;
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

/** What has become of the ids of one import or submission, and of the events that they met. */
export type SettledIds = ReturnType<typeof createSettledIds>;

export function createSettledIds() {
  const marks = createIdMarks();
  const has = (place: MarkPlace | null, mark: number) =>
    place !== null && (marks.at(place) & mark) !== 0;
  const isTaken = (sourceId: string) => has(marks.ofSourceId(sourceId), TAKEN);

  return {
    /** Stores ids; null for a repetition. */
    take({ sourceId, publicId, others }: GivenIds): StoredIds | null {
      const sourcePlace = sourceId === null ? null : marks.ofSourceId(sourceId);
      const publicPlace = publicId === null ? null : marks.ofPublicId(publicId);
      const isAlone = publicPlace === null;
      if (has(publicPlace, PUBLIC)) return null;
      if (has(sourcePlace, isAlone ? ALONE | BESIDE_PUBLIC : ALONE)) return null;
      if (publicPlace !== null) marks.add(publicPlace, PUBLIC);
      if (sourcePlace !== null) marks.add(sourcePlace, isAlone ? ALONE : BESIDE_PUBLIC);
      return { sourceId, publicId, others, sourcePlace, publicPlace };
    },
    isTaken,
    hasTakenSource: ({ sourcePlace }: StoredIds) => has(sourcePlace, TAKEN),
    hasMetPublic: ({ publicPlace }: StoredIds) => has(publicPlace, MET),
    hasBorneSource: ({ sourcePlace }: StoredIds) => has(sourcePlace, BORNE),
    /** Whether an event of the catalogue has been matched, or added, before. */
    isMet: ({ sourceId, publicId }: EventIds) =>
      (sourceId !== null && isTaken(sourceId)) ||
      (publicId !== null && has(marks.ofPublicId(publicId), MET)),
    /** Records the ids that an event has from now on, which these stored ones met or made. */
    settle(sourceId: string | null, publicId: string | null, stored: StoredIds): void {
      if (sourceId !== null) {
        const isStored = sourceId === stored.sourceId && stored.sourcePlace !== null;
        marks.add(isStored ? stored.sourcePlace : marks.ofSourceId(sourceId), TAKEN);
      }
      if (publicId === null) return;
      // Its own public id is stored, and not looked up again.
      if (stored.publicId === null) marks.add(marks.ofPublicId(publicId), MET);
      if (publicId === sourceId) marks.add(marks.ofSourceId(bareId(publicId)), BORNE);
    },
  };
}
