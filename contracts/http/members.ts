import { z } from "zod";
import { MemberKind, MemberRight } from "../catalogue-rights.ts";
import { CatalogueParams, Id } from "./catalogue.ts";
import { BODY_ERRORS, operation } from "./operation.ts";

export const Member = z
  .object({
    id: z.string().describe("of the user or the group"),
    kind: MemberKind,
    name: z.string(),
    right: MemberRight.describe("read, edit or own, each with what stands before it"),
  })
  .meta({ id: "Member" });
export type Member = z.infer<typeof Member>;

const MemberParams = z.object({ id: Id, memberId: z.string() });

export const listMembers = operation({
  method: "GET",
  path: "/api/catalogues/:id/members",
  summary: "The members of a catalogue, owners first, then by name",
  tag: "Members",
  access: "viewer",
  act: "own",
  rate: "read",
  params: CatalogueParams,
  query: z.strictObject({}),
  success: { status: 200, schema: z.object({ members: z.array(Member) }) },
  errors: ["VALIDATION_ERROR", "NOT_FOUND"],
});

export const getRight = operation({
  method: "GET",
  path: "/api/catalogues/:id/right",
  summary: "What the caller may do with a catalogue, by role and membership",
  tag: "Members",
  access: "viewer",
  rate: "read",
  params: CatalogueParams,
  query: z.strictObject({}),
  success: { status: 200, schema: z.object({ right: MemberRight }) },
  errors: ["VALIDATION_ERROR", "NOT_FOUND"],
});

export const setMember = operation({
  method: "PUT",
  path: "/api/catalogues/:id/members/:memberId",
  summary: "Make a user or a group a member of a catalogue, or change a member's right",
  tag: "Members",
  access: "editor",
  act: "own",
  rate: "write",
  params: MemberParams,
  body: z.object({ right: MemberRight }),
  example: { right: "edit" },
  success: { status: 200, schema: z.object({ member: Member }) },
  errors: [...BODY_ERRORS, "NOT_FOUND", "CONFLICT"],
});

export const removeMember = operation({
  method: "DELETE",
  path: "/api/catalogues/:id/members/:memberId",
  summary: "Take a member's right away",
  tag: "Members",
  access: "editor",
  act: "own",
  rate: "write",
  params: MemberParams,
  success: { status: 200, schema: z.object({ success: z.boolean() }) },
  errors: ["NOT_FOUND", "CONFLICT"],
});
