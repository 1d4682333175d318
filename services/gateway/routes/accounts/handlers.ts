import { room } from "../../http/room.ts";
import { createTokenHandler, endTokenHandler, listTokensHandler } from "./access-tokens.ts";
import {
  createGroupHandler,
  deleteGroupHandler,
  getGroupHandler,
  listGroupsHandler,
  updateGroupHandler,
} from "./groups.ts";
import { changePasswordHandler, forgotPasswordHandler, resetPasswordHandler } from "./passwords.ts";
import { registerHandler } from "./register.ts";
import {
  listOwnRoleRequestsHandler,
  listRoleRequestsHandler,
  reviewRoleRequestHandler,
  submitRoleRequestHandler,
} from "./role-requests.ts";
import { getSessionHandler, loginHandler, logoutHandler } from "./sessions.ts";
import {
  createUserHandler,
  deleteUserHandler,
  getUserHandler,
  listUsersHandler,
  updateUserHandler,
} from "./users.ts";

export const handlersOfAccounts = room({
  register: registerHandler,
  login: loginHandler,
  logout: logoutHandler,
  getSession: getSessionHandler,
  changePassword: changePasswordHandler,
  forgotPassword: forgotPasswordHandler,
  resetPassword: resetPasswordHandler,
  listUsers: listUsersHandler,
  createUser: createUserHandler,
  getUser: getUserHandler,
  updateUser: updateUserHandler,
  deleteUser: deleteUserHandler,
  createToken: createTokenHandler,
  listTokens: listTokensHandler,
  endToken: endTokenHandler,
  listGroups: listGroupsHandler,
  getGroup: getGroupHandler,
  createGroup: createGroupHandler,
  updateGroup: updateGroupHandler,
  deleteGroup: deleteGroupHandler,
  submitRoleRequest: submitRoleRequestHandler,
  listOwnRoleRequests: listOwnRoleRequestsHandler,
  listRoleRequests: listRoleRequestsHandler,
  reviewRoleRequest: reviewRoleRequestHandler,
});
