import { z } from "zod";
import { Id } from "./catalogue.ts";
import { EXAMPLE } from "./example-ids.ts";
import { BODY_ERRORS, operation } from "./operation.ts";

export const GROUP_NAME_MAX = 100;
const GROUP_MEMBERS_MAX = 10_000;

export const Group = z
  .object({
    id: z.uuid(),
    name: z.string(),
    members: z.array(z.string()).describe("user ids"),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "Group" });
export type Group = z.infer<typeof Group>;

const GroupParams = z.object({ id: Id });
const oneGroup = { status: 200, schema: z.object({ group: Group }) } as const;

const name = z.string().describe(`one line of at most ${GROUP_NAME_MAX} characters`);
const members = z.array(z.string().max(100)).max(GROUP_MEMBERS_MAX).describe("user ids");

export const listGroups = operation({
  method: "GET",
  path: "/api/groups",
  summary: "The groups of users, by name",
  tag: "Groups",
  access: "admin",
  rate: "read",
  query: z.strictObject({}),
  success: { status: 200, schema: z.object({ groups: z.array(Group) }) },
  errors: ["VALIDATION_ERROR"],
});

export const getGroup = operation({
  method: "GET",
  path: "/api/groups/:id",
  summary: "One group of users",
  tag: "Groups",
  access: "admin",
  rate: "read",
  params: GroupParams,
  success: oneGroup,
  errors: ["NOT_FOUND"],
});

export const createGroup = operation({
  method: "POST",
  path: "/api/groups",
  summary: "Create a group of users, which may be a member of catalogues",
  tag: "Groups",
  access: "admin",
  rate: "write",
  body: z.object({ name, members: members.default([]) }),
  example: { name: "Duty officers", members: [EXAMPLE.user] },
  success: { ...oneGroup, status: 201 },
  errors: [...BODY_ERRORS, "MISSING_NAME"],
});

export const updateGroup = operation({
  method: "PATCH",
  path: "/api/groups/:id",
  summary: "Rename a group, or change who is in it",
  tag: "Groups",
  access: "admin",
  rate: "write",
  params: GroupParams,
  body: z.object({ name: name.optional(), members: members.optional() }),
  example: { members: [EXAMPLE.user] },
  success: oneGroup,
  errors: [...BODY_ERRORS, "MISSING_NAME", "NOT_FOUND", "CONFLICT"],
});

export const deleteGroup = operation({
  method: "DELETE",
  path: "/api/groups/:id",
  summary: "Delete a group; its users lose the rights that they had by it",
  tag: "Groups",
  access: "admin",
  rate: "write",
  params: GroupParams,
  success: { status: 200, schema: z.object({ success: z.boolean() }) },
  errors: ["NOT_FOUND", "CONFLICT"],
});
