import type { Draft } from "../shared/drafts.ts";

type CreationInfo = { readonly author?: string; readonly agencyID?: string };
type Created = { readonly creationInfo?: CreationInfo };

const WORD = /^\S+$/;

/**
 * Who is named in an author's columns: ISF's authors are agencies, so the agency stands for an author
 * that does not fit.
 * @param width of the columns
 */
export function authorOf({ creationInfo = {} }: Created, width: number): string | undefined {
  const { author, agencyID } = creationInfo;
  const names = [author, agencyID].filter((name) => name !== undefined);
  return names.find((name) => WORD.test(name) && name.length <= width) ?? names[0];
}

/** The object as its line is made of it: with the one who is named. */
export function withAuthor(object: Created, width: number): Draft {
  const author = authorOf(object, width);
  return { ...object, ...(author !== undefined && { creationInfo: { author } }) };
}

/** The object without the name that its line has, for counting the rest. */
export function withoutAuthor<T extends Created>(object: T, width: number): T {
  if (object.creationInfo === undefined) return object;
  const named = authorOf(object, width);
  const others = Object.entries(object.creationInfo).filter(
    ([name, text]) => (name !== "author" && name !== "agencyID") || text !== named,
  );
  return { ...object, creationInfo: Object.fromEntries(others) };
}

/** For the members that lines hold: of names, only the one that `withoutAuthor` takes away. */
export const NO_OTHER_AUTHOR = { "creationInfo.author": () => false };
