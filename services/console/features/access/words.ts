import type { CatalogueAccess, Editing, MemberRight } from "#contracts/rights.ts";

/** Who changes a catalogue: of a restricted one only members, whatever its editing. */
export function changersOf(access: CatalogueAccess, editing: Editing): string {
  if (editing === "all" && access !== "restricted") return "Every editor changes it.";
  return "Only editors among its members who may edit or own it, and administrators, change it.";
}

export const CHANGER_OPTIONS: readonly { readonly value: Editing; readonly text: string }[] = [
  { value: "all", text: "all editors" },
  { value: "members", text: "members" },
];

/** What a member may do, by his right. */
export const RIGHTS: Readonly<Record<MemberRight, string>> = {
  read: "Reads the catalogue.",
  edit: "Reads the catalogue and, with the role of an editor, changes it.",
  own: "Reads and changes the catalogue and, with the role of an editor, decides who else may.",
};

export const RIGHT_OPTIONS = (Object.keys(RIGHTS) as MemberRight[]).map((right) => ({
  value: right,
  text: right,
}));
