import type { CatalogueAccess, Editing, MemberRight } from "#contracts/catalogue-rights.ts";

/** Who reads a catalogue: as the answer to that question, and what it means. */
export const READERS: Readonly<
  Record<CatalogueAccess, { readonly who: string; readonly means: string }>
> = {
  public: { who: "everybody", means: "Everybody reads it, without an account." },
  internal: {
    who: "everybody who is signed in",
    means: "Everybody who is signed in reads it; guests see its name alone.",
  },
  restricted: {
    who: "only its members",
    means: "Only its members and administrators see that it exists; a share of it still works.",
  },
};

/** Who changes a catalogue. */
export const CHANGERS: Readonly<Record<Editing, { readonly who: string; readonly means: string }>> =
  {
    all: { who: "every editor who reads it", means: "Every editor who reads it changes it." },
    members: {
      who: "only members who may edit",
      means:
        "Only editors among its members who may edit or own it, and administrators, change it.",
    },
  };

/** What a member may do. */
export const RIGHTS: Readonly<
  Record<MemberRight, { readonly may: string; readonly means: string }>
> = {
  read: { may: "read", means: "Reads the catalogue." },
  edit: {
    may: "edit",
    means: "Reads the catalogue and, with the role of an editor, changes it.",
  },
  own: {
    may: "own",
    means: "Reads and changes the catalogue and, with the role of an editor, decides who else may.",
  },
};

/** The options of a list of such values. */
export function optionsOf<T extends string>(
  words: Readonly<Record<T, { readonly who: string } | { readonly may: string }>>,
): { readonly value: T; readonly text: string }[] {
  return (Object.keys(words) as T[]).map((value) => {
    const word = words[value];
    return { value, text: "who" in word ? word.who : word.may };
  });
}
