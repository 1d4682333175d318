import { z } from "zod";

/** Who may read a catalogue: everybody; everybody who is signed in; its members. */
export const CatalogueAccess = z.enum(["public", "internal", "restricted"]);
export type CatalogueAccess = z.infer<typeof CatalogueAccess>;

/**
 * Whose role suffices to change a catalogue: everybody's who reads it, unless it is restricted; that of members who
 * may.
 */
export const Editing = z.enum(["all", "members"]);
export type Editing = z.infer<typeof Editing>;

/** What a member may do, each with what stands before it; never more than the role allows. */
export const MemberRight = z.enum(["read", "edit", "own"]);
export type MemberRight = z.infer<typeof MemberRight>;

export const MemberKind = z.enum(["user", "group"]);
export type MemberKind = z.infer<typeof MemberKind>;
