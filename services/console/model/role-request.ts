import type { AnswerOf } from "./operation-types.ts";

export type RoleRequest = AnswerOf<"GET /api/role-requests/me">["requests"][number];
