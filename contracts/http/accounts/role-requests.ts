import { z } from "zod";
import { RequestableRole } from "../../domain-events/user-events.ts";
import { Role } from "../../roles.ts";
import { longListShape, nextCursor } from "../long-list.ts";
import { BODY_ERRORS, operation } from "../operation.ts";

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

export const submitRoleRequest = operation({
  method: "POST",
  path: "/api/role-requests",
  summary: "Ask for a higher role",
  tag: "Role requests",
  access: "signed-in",
  rate: "write",
  body: z.object({
    requestedRole: RequestableRole,
    justification: z.string().describe("10 to 1000 characters"),
  }),
  example: { requestedRole: "editor", justification: "I locate aftershocks of Kaikōura." },
  success: { status: 201, schema: One },
  errors: [...BODY_ERRORS, "CONFLICT"],
});

export const listOwnRoleRequests = operation({
  method: "GET",
  path: "/api/role-requests/me",
  summary: "Your own role requests, newest first",
  tag: "Role requests",
  access: "signed-in",
  rate: "read",
  success: { status: 200, schema: Many },
  errors: [],
});

export const listRoleRequests = operation({
  method: "GET",
  path: "/api/role-requests",
  summary: "Every role request, newest first",
  tag: "Role requests",
  access: "admin",
  rate: "read",
  query: z.strictObject({ status: RoleRequestStatus.optional(), ...longListShape }),
  success: { status: 200, schema: Many.extend({ nextCursor }) },
  errors: ["VALIDATION_ERROR", "INVALID_CURSOR"],
});

export const reviewRoleRequest = operation({
  method: "PATCH",
  path: "/api/role-requests/:id",
  summary: "Approve or reject a role request; an approval changes the role at once",
  tag: "Role requests",
  access: "admin",
  rate: "write",
  params: z.object({ id: z.uuid() }),
  body: z.object({
    status: z.enum(["approved", "rejected"]),
    adminNotes: z.string().nullish().describe("at most 1000 characters"),
  }),
  example: { status: "approved", adminNotes: "Welcome to the team" },
  success: { status: 200, schema: One },
  errors: [...BODY_ERRORS, "NOT_FOUND", "CONFLICT"],
});
