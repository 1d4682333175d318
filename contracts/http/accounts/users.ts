import { z } from "zod";
import { Role } from "../../roles.ts";
import { EXAMPLE } from "../example-ids.ts";
import { longListShape, nextCursor } from "../long-list.ts";
import { BODY_ERRORS, operation } from "../operation.ts";
import { givenOutShape } from "../shares.ts";
import { User } from "./accounts.ts";

/** A user as administrators see it. */
export const UserDetails = z
  .object({ ...User.shape, updated_at: z.string(), last_login: z.string().nullable() })
  .meta({ id: "UserDetails" });
export type UserDetails = z.infer<typeof UserDetails>;

const UserParams = z.object({ id: z.string() });

export const listUsers = operation({
  method: "GET",
  path: "/api/users",
  summary: "Every account, newest first",
  tag: "Users",
  access: "admin",
  rate: "read",
  query: z.strictObject(longListShape),
  success: { status: 200, schema: z.object({ users: z.array(UserDetails), nextCursor }) },
  errors: ["VALIDATION_ERROR", "INVALID_CURSOR"],
});

export const createUser = operation({
  method: "POST",
  path: "/api/users",
  summary: "Make an account without a password; a link for choosing one goes to its address",
  tag: "Users",
  access: "admin",
  rate: "write",
  body: z.strictObject({
    email: z.string(),
    name: z.string().trim().max(255).describe("not empty"),
    role: Role.default("viewer"),
  }),
  example: { email: EXAMPLE.email, name: "Aroha Ngata", role: "editor" },
  success: { status: 201, schema: z.object({ user: UserDetails }) },
  errors: [...BODY_ERRORS, "MISSING_NAME", "CONFLICT"],
});

export const getUser = operation({
  method: "GET",
  path: "/api/users/:id",
  summary: "One account",
  tag: "Users",
  access: "admin",
  rate: "read",
  params: UserParams,
  success: { status: 200, schema: z.object({ user: UserDetails }) },
  errors: ["NOT_FOUND"],
});

export const updateUser = operation({
  method: "PATCH",
  path: "/api/users/:id",
  summary: "Change the role, the active status or the name of an account",
  tag: "Users",
  access: "admin",
  rate: "write",
  params: UserParams,
  body: z.object({
    role: Role.optional(),
    is_active: z.boolean().optional(),
    name: z.string().trim().max(255).optional().describe("not empty"),
  }),
  example: { role: "editor", is_active: true },
  success: { status: 200, schema: z.object({ user: UserDetails }) },
  errors: [...BODY_ERRORS, "MISSING_NAME", "NOT_FOUND", "CONFLICT"],
});

export const deleteUser = operation({
  method: "DELETE",
  path: "/api/users/:id",
  summary:
    "Delete an account with everything personal and its access tokens; its address can be registered again",
  tag: "Users",
  access: "admin",
  rate: "write",
  params: UserParams,
  success: { status: 200, schema: z.object({ message: z.string(), ...givenOutShape }) },
  errors: ["VALIDATION_ERROR", "NOT_FOUND", "CONFLICT"],
});
