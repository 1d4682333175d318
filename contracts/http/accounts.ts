/**
 * Accounts and all that hangs on them: signing in, institutes, the first administrator, users,
 * groups, requests for roles, access tokens. Longer than other files, since it is one area.
 */

import { z } from "zod";
import { SCOPES } from "../access-scopes.ts";
import { RequestableRole } from "../events/accounts.ts";
import { longListShape, nextCursor } from "../query/parameters.ts";
import { Role } from "../rights.ts";
import { givenOutShape } from "./catalogues.ts";
import { EXAMPLE, Id, operation, Success } from "./operation.ts";

export const PASSWORD_MIN = 8;
export const ADMIN_PASSWORD_MIN = 12;

/** A user in the answer to a registration (`contracts/docs/accounts.md`). */
export const User = z
  .object({
    id: z.string().describe("user_<number>_<suffix>"),
    email: z.string(),
    name: z.string(),
    role: Role,
    is_active: z.boolean(),
    email_verified: z.boolean(),
    created_at: z.string(),
  })
  .meta({ id: "User" });

export const SessionUser = z
  .object({ id: z.string(), email: z.string(), name: z.string(), role: Role })
  .meta({ id: "SessionUser" });

/** The handler checks the fields one by one, in the order of their messages. */
const Loose = z.unknown().optional();

export const register = operation("POST", "/api/auth/register", {
  summary: "Register an account with the role viewer, which an administrator may have to activate",
  access: "public",
  rate: "auth",
  body: z.object({ name: Loose, email: Loose, password: Loose }),
  documentedBody: z.object({ name: z.string(), email: z.string(), password: z.string() }),
  example: { name: "Aroha Ngata", email: EXAMPLE.email, password: EXAMPLE.password },
  status: 201,
  answer: z.object({ message: z.string(), user: User }),
  errors: ["CONFLICT", "FORBIDDEN"],
});

export const login = operation("POST", "/api/auth/login", {
  summary: "Sign in with email and password; sets the session cookie",
  access: "public",
  rate: "sign-in",
  body: z.object({ email: z.string(), password: z.string() }),
  example: { email: EXAMPLE.email, password: EXAMPLE.password },
  answer: z.object({ user: SessionUser, token: z.string() }),
  errors: ["UNAUTHENTICATED"],
});

export const logout = operation("POST", "/api/auth/logout", {
  summary: "Sign out: the session is destroyed",
  access: "public",
  scope: "session",
  answer: Success,
});

export const getSession = operation("GET", "/api/auth/session", {
  summary: "The session of the caller; empty when signed out",
  access: "public",
  answer: z.object({ user: SessionUser.optional(), expires: z.string().optional() }),
});

const Message = z.object({ message: z.string() });

export const changePassword = operation("POST", "/api/auth/change-password", {
  summary: "Change your own password; your other sessions end",
  access: "signed-in",
  scope: "session",
  rate: "sign-in",
  body: z.object({
    currentPassword: z.string(),
    newPassword: z.string(),
    endTokens: z.boolean().optional().describe("whether your access tokens end too; default false"),
  }),
  example: { currentPassword: EXAMPLE.password, newPassword: EXAMPLE.newPassword },
  answer: Message.extend(z.object(givenOutShape).partial().shape).describe(
    "with endTokens also what you have given out",
  ),
});

export const forgotPassword = operation("POST", "/api/auth/forgot-password", {
  summary: "Ask for a password reset; the answer is the same whether the address is known or not",
  access: "public",
  rate: "recovery",
  body: z.object({ email: z.string() }),
  example: { email: EXAMPLE.email },
  answer: Message,
});

export const resetPassword = operation("POST", "/api/auth/reset-password", {
  summary:
    "Set a new password with the token of a reset; every session and every access token of the user ends",
  access: "public",
  rate: "auth",
  body: z.object({ token: z.string(), newPassword: z.string() }),
  example: { token: EXAMPLE.resetToken, newPassword: EXAMPLE.newPassword },
  answer: Message.extend(givenOutShape),
});

const FOUND = {
  status: 302,
  answer: z.string(),
  contentTypes: ["text/plain; charset=utf-8"],
} as const;

export const beginOpenId = operation("GET", "/api/auth/oidc", {
  summary: "Begin a sign-in with the institute's account: redirects to the institute",
  access: "public",
  needs: "institute",
  query: z.strictObject({
    next: z.string().optional().describe("path of this service to come back to; default /"),
  }),
  ...FOUND,
  errors: ["NOT_FOUND", "UNAVAILABLE"],
});

export const finishOpenId = operation("GET", "/api/auth/oidc/callback", {
  summary:
    "Where the institute sends the browser back: sets the session cookie, or redirects to the page for joining an account",
  access: "public",
  needs: "institute",
  rate: "sign-in",
  query: z.looseObject({}).describe("the institute's answer (OpenID Connect Core 1.0, 3.1.2.5)"),
  ...FOUND,
  errors: ["NOT_FOUND", "UNAUTHENTICATED", "FORBIDDEN", "CONFLICT", "UNAVAILABLE"],
});

export const joinOpenId = operation("POST", "/api/auth/oidc/join", {
  summary:
    "Tie the account with the address that the institute has confirmed to the institute's account, by its password, once; answers as signing in does. Its sessions and access tokens end",
  access: "public",
  needs: "institute",
  rate: "sign-in",
  body: z.object({ password: z.unknown().optional() }),
  documentedBody: z.object({ password: z.string() }),
  example: { password: EXAMPLE.password },
  answer: z.object({ user: SessionUser, token: z.string(), ...givenOutShape }),
  errors: ["NOT_FOUND", "UNAUTHENTICATED", "FORBIDDEN", "CONFLICT"],
});

const Code = z.string().describe("of the link that the start has printed");

/** The first administrator of a service that nobody has configured. */
export const FirstAdministrator = z.object({
  email: z.string(),
  password: z.string().min(ADMIN_PASSWORD_MIN),
  name: z.string(),
});

/** Read only once it is known that there is something to set up, and that the code is right. */
const WithCode = z.looseObject({ code: z.unknown().optional() });

const Loaded = z.object({ catalogueId: z.uuid() });

export const loadSetupSample = operation("POST", "/api/setup/sample", {
  summary: "Load the sample catalogue, public, before there is an administrator",
  access: "public",
  rate: "auth",
  body: WithCode,
  documentedBody: z.object({ code: Code }),
  example: { code: EXAMPLE.setupCode },
  status: 201,
  answer: Loaded,
  errors: ["FORBIDDEN", "NOT_FOUND", "CONFLICT"],
});

export const createFirstAdministrator = operation("POST", "/api/setup/administrator", {
  summary: "Make the first administrator and sign in; afterwards there is nothing to set up",
  access: "public",
  rate: "auth",
  body: WithCode,
  documentedBody: FirstAdministrator.extend({ code: Code }),
  example: {
    code: EXAMPLE.setupCode,
    email: EXAMPLE.email,
    password: EXAMPLE.password,
    name: "Aroha Ngata",
  },
  status: 201,
  answer: z.object({ user: User }),
  errors: ["FORBIDDEN", "NOT_FOUND", "CONFLICT"],
});

export const loadSample = operation("POST", "/api/sample", {
  summary: "Load the sample catalogue, public; once deleted it can be loaded again",
  access: "editor",
  makesCatalogue: true,
  status: 201,
  answer: Loaded,
  errors: ["CONFLICT"],
});

/** A user as administrators see it. */
export const UserDetails = z
  .object({ ...User.shape, updated_at: z.string(), last_login: z.string().nullable() })
  .meta({ id: "UserDetails" });
export type UserDetails = z.infer<typeof UserDetails>;

const UserParams = z.object({ id: z.string() });

export const listUsers = operation("GET", "/api/users", {
  summary: "Every account, newest first",
  access: "admin",
  query: z.strictObject(longListShape),
  answer: z.object({ users: z.array(UserDetails), nextCursor }),
});

export const createUser = operation("POST", "/api/users", {
  summary: "Make an account without a password; a link for choosing one goes to its address",
  access: "admin",
  body: z.strictObject({
    email: z.string(),
    name: z.string().trim().max(255).describe("not empty"),
    role: Role.default("viewer"),
  }),
  example: { email: EXAMPLE.email, name: "Aroha Ngata", role: "editor" },
  status: 201,
  answer: z.object({ user: UserDetails }),
  errors: ["MISSING_NAME", "CONFLICT"],
});

export const getUser = operation("GET", "/api/users/:id", {
  summary: "One account",
  access: "admin",
  params: UserParams,
  answer: z.object({ user: UserDetails }),
});

export const updateUser = operation("PATCH", "/api/users/:id", {
  summary: "Change the role, the active status or the name of an account",
  access: "admin",
  params: UserParams,
  body: z.object({
    role: Role.optional(),
    is_active: z.boolean().optional(),
    name: z.string().trim().max(255).optional().describe("not empty"),
  }),
  example: { role: "editor", is_active: true },
  answer: z.object({ user: UserDetails }),
  errors: ["MISSING_NAME", "CONFLICT"],
});

export const deleteUser = operation("DELETE", "/api/users/:id", {
  summary:
    "Delete an account with everything personal and its access tokens; its address can be registered again",
  access: "admin",
  params: UserParams,
  answer: z.object({ message: z.string(), ...givenOutShape }),
  errors: ["CONFLICT"],
});

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

const oneGroup = z.object({ group: Group });

const name = z.string().describe(`one line of at most ${GROUP_NAME_MAX} characters`);
const members = z.array(z.string().max(100)).max(GROUP_MEMBERS_MAX).describe("user ids");

export const listGroups = operation("GET", "/api/groups", {
  summary: "The groups of users, by name",
  access: "admin",
  answer: z.object({ groups: z.array(Group) }),
});

export const getGroup = operation("GET", "/api/groups/:id", {
  summary: "One group of users",
  access: "admin",
  answer: oneGroup,
});

export const createGroup = operation("POST", "/api/groups", {
  summary: "Create a group of users, which may be a member of catalogues",
  access: "admin",
  body: z.object({ name, members: members.default([]) }),
  example: { name: "Duty officers", members: [EXAMPLE.user] },
  status: 201,
  answer: oneGroup,
  errors: ["MISSING_NAME"],
});

export const updateGroup = operation("PATCH", "/api/groups/:id", {
  summary: "Rename a group, or change who is in it",
  access: "admin",
  body: z.object({ name: name.optional(), members: members.optional() }),
  example: { members: [EXAMPLE.user] },
  answer: oneGroup,
  errors: ["MISSING_NAME", "CONFLICT"],
});

export const deleteGroup = operation("DELETE", "/api/groups/:id", {
  summary: "Delete a group; its users lose the rights that they had by it",
  access: "admin",
  answer: Success,
  errors: ["CONFLICT"],
});

export const RoleRequestStatus = z.enum(["pending", "approved", "rejected"]);
export type RoleRequestStatus = z.infer<typeof RoleRequestStatus>;

/** A role request: `current_role` at the time of the request; address and name are the present ones. */
export const RoleRequest = z
  .object({
    id: z.uuid(),
    user_id: z.string(),
    user_email: z.string(),
    user_name: z.string(),
    current_role: Role,
    requested_role: RequestableRole,
    justification: z.string(),
    status: RoleRequestStatus,
    admin_notes: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
    reviewed_at: z.string().nullable(),
    reviewed_by: z.string().nullable().describe("user id of the administrator"),
  })
  .meta({ id: "RoleRequest" });
export type RoleRequest = z.infer<typeof RoleRequest>;

const One = z.object({ request: RoleRequest });
const Many = z.object({ requests: z.array(RoleRequest) });

export const submitRoleRequest = operation("POST", "/api/role-requests", {
  summary: "Ask for a higher role",
  access: "signed-in",
  body: z.object({
    requestedRole: RequestableRole,
    justification: z.string().describe("10 to 1000 characters"),
  }),
  example: { requestedRole: "editor", justification: "I locate aftershocks of Kaikōura." },
  status: 201,
  answer: One,
  errors: ["CONFLICT"],
});

export const listOwnRoleRequests = operation("GET", "/api/role-requests/me", {
  summary: "Your own role requests, newest first",
  access: "signed-in",
  answer: Many,
});

export const listRoleRequests = operation("GET", "/api/role-requests", {
  summary: "Every role request, newest first",
  access: "admin",
  query: z.strictObject({ status: RoleRequestStatus.optional(), ...longListShape }),
  answer: Many.extend({ nextCursor }),
});

export const reviewRoleRequest = operation("PATCH", "/api/role-requests/:id", {
  summary: "Approve or reject a role request; an approval changes the role at once",
  access: "admin",
  body: z.object({
    status: z.enum(["approved", "rejected"]),
    adminNotes: z.string().nullish().describe("at most 1000 characters"),
  }),
  example: { status: "approved", adminNotes: "Welcome to the team" },
  answer: One,
  errors: ["CONFLICT"],
});

export const TOKEN_NAME_MAX = 100;
const TOKEN_DAYS_MAX = 366;
const TOKEN_DAYS = 90;
const TOKEN_CATALOGUES_MAX = 100;

export const AccessToken = z
  .object({
    id: z.uuid(),
    name: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    catalogues: z.array(z.uuid()).nullable().describe("null: all that its owner has"),
    created_at: z.string(),
    expires_at: z.string(),
    last_used: z.string().nullable().describe("to the minute; null: never"),
  })
  .meta({ id: "AccessToken" });
export type AccessToken = z.infer<typeof AccessToken>;

export const createToken = operation("POST", "/api/tokens", {
  summary: "Make an access token for a script; its secret is in this answer alone",
  access: "signed-in",
  scope: "session",
  body: z.object({
    name: z.string().describe(`one line of at most ${TOKEN_NAME_MAX} characters`),
    scopes: z
      .array(z.enum(SCOPES))
      .min(1)
      .max(16)
      .transform((scopes) => [...new Set(scopes)])
      .describe(
        "write includes read, admin both; metrics is for /metrics alone. None above your role: write is for editors, admin and metrics for administrators",
      ),
    catalogues: z
      .array(Id)
      .min(1)
      .max(TOKEN_CATALOGUES_MAX)
      .transform((ids) => [...new Set(ids)])
      .nullish()
      .describe("the only catalogues that are there for it; default: all that its owner has"),
    expiresInDays: z.int().min(1).max(TOKEN_DAYS_MAX).default(TOKEN_DAYS),
  }),
  example: { name: "Nightly download", scopes: ["read"], expiresInDays: 30 },
  status: 201,
  answer: z.object({ token: AccessToken, secret: z.string() }),
  errors: ["CONFLICT"],
});

export const listTokens = operation("GET", "/api/tokens", {
  summary: "Your access tokens, newest first; expired ones too, ended ones not",
  access: "signed-in",
  query: z.strictObject({
    user: z.string().optional().describe("id of another user, for administrators"),
  }),
  answer: z.object({ tokens: z.array(AccessToken) }),
  errors: ["FORBIDDEN", "NOT_FOUND"],
});

export const endToken = operation("DELETE", "/api/tokens/:id", {
  summary: "End an access token at once: your own, as an administrator anybody's",
  access: "signed-in",
  answer: Success,
});
