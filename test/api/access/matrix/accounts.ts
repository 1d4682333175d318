import { newEmail, PASSWORD } from "../../support/accounts.ts";
import type { Rows } from "./row.ts";

export const ACCOUNTS = {
  register: {
    level: "public",
    request: () => [
      "POST",
      "/api/auth/register",
      { name: "Ana", email: newEmail(), password: PASSWORD },
    ],
    success: 201,
  },
  login: {
    level: "public",
    request: ({ email }) => ["POST", "/api/auth/login", { email, password: PASSWORD }],
    success: 200,
  },
  logout: { level: "public", request: () => ["POST", "/api/auth/logout"], success: 200 },
  getSession: { level: "public", request: () => ["GET", "/api/auth/session"], success: 200 },
  // Without an institute's sign-in.
  beginOpenId: { level: "public", request: () => ["GET", "/api/auth/oidc"], success: 404 },
  finishOpenId: {
    level: "public",
    request: () => ["GET", "/api/auth/oidc/callback?state=any&code=any"],
    success: 404,
  },
  joinOpenId: {
    level: "public",
    request: () => ["POST", "/api/auth/oidc/join", { password: PASSWORD }],
    success: 404,
  },
  changePassword: {
    level: "viewer",
    request: () => [
      "POST",
      "/api/auth/change-password",
      { currentPassword: PASSWORD, newPassword: `${PASSWORD} anew` },
    ],
    success: 200,
  },
  forgotPassword: {
    level: "public",
    request: ({ email }) => ["POST", "/api/auth/forgot-password", { email }],
    success: 200,
  },
  resetPassword: {
    level: "public",
    request: ({ resetToken }) => [
      "POST",
      "/api/auth/reset-password",
      { token: resetToken, newPassword: `${PASSWORD} anew` },
    ],
    success: 200,
  },
  deleteUser: {
    level: "admin",
    request: ({ user }) => ["DELETE", `/api/users/${user}`],
    success: 200,
  },
  submitRoleRequest: {
    level: "viewer",
    request: () => [
      "POST",
      "/api/role-requests",
      { requestedRole: "admin", justification: "I keep the network's catalogue." },
    ],
    success: 201,
    // An administrator may call it, and has nothing to ask for.
    successOf: { admin: 400 },
  },
  listOwnRoleRequests: {
    level: "viewer",
    request: () => ["GET", "/api/role-requests/me"],
    success: 200,
  },
  listRoleRequests: {
    level: "admin",
    request: () => ["GET", "/api/role-requests?status=pending"],
    success: 200,
  },
  reviewRoleRequest: {
    level: "admin",
    request: ({ roleRequest }) => [
      "PATCH",
      `/api/role-requests/${roleRequest}`,
      { status: "approved" },
    ],
    success: 200,
  },
  createUser: {
    level: "admin",
    request: () => ["POST", "/api/users", { name: "Ana", email: newEmail() }],
    success: 201,
  },
  createToken: {
    level: "viewer",
    request: () => ["POST", "/api/tokens", { name: "A script", scopes: ["read"] }],
    success: 201,
  },
  listTokens: { level: "viewer", request: () => ["GET", "/api/tokens"], success: 200 },
  endToken: {
    level: "viewer",
    request: ({ accessToken }) => ["DELETE", `/api/tokens/${accessToken}`],
    success: 200,
    // It is somebody else's.
    successOf: { viewer: 404, editor: 404 },
  },
  listGroups: { level: "admin", request: () => ["GET", "/api/groups"], success: 200 },
  getGroup: {
    level: "admin",
    request: ({ group }) => ["GET", `/api/groups/${group}`],
    success: 200,
  },
  createGroup: {
    level: "admin",
    request: ({ user }) => ["POST", "/api/groups", { name: "Analysts", members: [user] }],
    success: 201,
  },
  updateGroup: {
    level: "admin",
    request: ({ group }) => ["PATCH", `/api/groups/${group}`, { members: [] }],
    success: 200,
  },
  deleteGroup: {
    level: "admin",
    request: ({ group }) => ["DELETE", `/api/groups/${group}`],
    success: 200,
  },
  listUsers: { level: "admin", request: () => ["GET", "/api/users"], success: 200 },
  getUser: { level: "admin", request: ({ user }) => ["GET", `/api/users/${user}`], success: 200 },
  updateUser: {
    level: "admin",
    request: ({ user }) => ["PATCH", `/api/users/${user}`, { role: "editor" }],
    success: 200,
  },
} satisfies Rows;
