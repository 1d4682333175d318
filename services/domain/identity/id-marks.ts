import { createIdTable } from "./id-table.ts";

/** Marks of source ids and of public ids: bits of a byte, which both share. */
export type IdMarks = {
  /** Where the marks of an id are, for good. */
  readonly ofSourceId: (id: string) => MarkPlace;
  readonly ofPublicId: (id: string) => MarkPlace;
  readonly at: (place: MarkPlace) => number;
  readonly add: (place: MarkPlace, marks: number) => void;
};

/** A place in the table of source ids, or below 0 that in the one of public ids. */
export type MarkPlace = number;

/** Agencies have one beginning or a few; where each event has its own, they would fill the memory. */
const MAX_BEGINNINGS = 1_000;

/**
 * Mostly the public id is a beginning that many share, and then the source id. So its marks are kept with
 * those of its last part, and what is kept besides is the number of the beginning: one entry for both ids.
 * Only where another public id has that place already, a public id has an entry of its own.
 */
export function createIdMarks(): IdMarks {
  const sourceIds = createIdTable();
  const publicIds = createIdTable();
  const beginnings = new Map<string, number>();

  /** From 1 on; 0 where there are too many. */
  function numberOf(beginning: string): number {
    const known = beginnings.get(beginning);
    if (known !== undefined) return known;
    if (beginnings.size === MAX_BEGINNINGS) return 0;
    beginnings.set(beginning, beginnings.size + 1);
    return beginnings.size;
  }

  return {
    ofSourceId: sourceIds.place,
    ofPublicId(id) {
      const end = id.lastIndexOf("/") + 1;
      const number = numberOf(id.slice(0, end));
      if (number === 0) return ~publicIds.place(id);
      const place = sourceIds.place(id.slice(end));
      if (sourceIds.number(place) === 0) sourceIds.setNumber(place, number);
      return sourceIds.number(place) === number ? place : ~publicIds.place(id);
    },
    at: (place) => (place < 0 ? publicIds.marks(~place) : sourceIds.marks(place)),
    add(place, marks) {
      if (place < 0) publicIds.mark(~place, marks);
      else sourceIds.mark(place, marks);
    },
  };
}
