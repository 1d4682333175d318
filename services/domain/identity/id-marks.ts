import { createIdTable } from "./id-table.ts";

/** An index in the table of source ids; below 0, one in the table of public ids. */
export type MarkPlace = number;

/**
 * An agency's ids share one or a few prefixes; distinct prefixes for every event would fill the
 * memory.
 */
const MAX_BEGINNINGS = 1_000;

/**
 * Marks of source ids and public ids: bits of one byte that both share.
 *
 * Most public ids are a prefix shared by many, followed by the source id. The marks of such an id
 * are stored with those of its last part, together with the prefix's number, so both ids need one
 * entry. A public id gets an entry of its own only when another public id uses that one.
 */
export function createIdMarks() {
  const sourceIds = createIdTable();
  const publicIds = createIdTable();
  const beginnings = new Map<string, number>();

  /** From 1; 0 when there are too many prefixes. */
  function numberOf(beginning: string): number {
    const known = beginnings.get(beginning);
    if (known !== undefined) return known;
    if (beginnings.size === MAX_BEGINNINGS) return 0;
    beginnings.set(beginning, beginnings.size + 1);
    return beginnings.size;
  }

  return {
    /** A permanent reference to the marks of an id. */
    ofSourceId: (id: string): MarkPlace => sourceIds.place(id),
    ofPublicId(id: string): MarkPlace {
      const end = id.lastIndexOf("/") + 1;
      const number = numberOf(id.slice(0, end));
      if (number === 0) return ~publicIds.place(id);
      const place = sourceIds.place(id.slice(end));
      if (sourceIds.number(place) === 0) sourceIds.setNumber(place, number);
      return sourceIds.number(place) === number ? place : ~publicIds.place(id);
    },
    at: (place: MarkPlace): number =>
      place < 0 ? publicIds.marks(~place) : sourceIds.marks(place),
    add(place: MarkPlace, marks: number): void {
      if (place < 0) publicIds.mark(~place, marks);
      else sourceIds.mark(place, marks);
    },
  };
}
