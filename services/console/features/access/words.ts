import type { Editing, MemberRight } from "#contracts/catalogue-rights.ts";

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
