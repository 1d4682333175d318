import type { Draft } from "../shared/drafts.ts";

type CreationInfo = { readonly author?: string; readonly agencyID?: string };
type Created = { readonly creationInfo?: CreationInfo };

/**
 * Who is named in an author's columns: ISF's authors are agencies, so an author is named only where there
 * is no agency. One that does not fit is left out: a person instead of it would be read as an agency.
 */
export function authorOf({ creationInfo = {} }: Created): string | undefined {
  return creationInfo.agencyID ?? creationInfo.author;
}

/** The object as its line is made of it: with the one who is named. */
export function withAuthor(object: Created): Draft {
  const author = authorOf(object);
  return { ...object, ...(author !== undefined && { creationInfo: { author } }) };
}

/** The object without the name that its line has, for counting the rest. */
export function withoutAuthor<T extends Created>(object: T): T {
  if (object.creationInfo === undefined) return object;
  const named = authorOf(object);
  const others = Object.entries(object.creationInfo).filter(
    ([name, text]) => (name !== "author" && name !== "agencyID") || text !== named,
  );
  return { ...object, creationInfo: Object.fromEntries(others) };
}

/** For the members that lines hold: of names, only the one that `withoutAuthor` takes away. */
export const NO_OTHER_AUTHOR = { "creationInfo.author": () => false };
