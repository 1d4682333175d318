import { describe, expect, test } from "vitest";
import type { Role } from "#contracts/roles.ts";
import { deleteUser, requestPasswordReset } from "#services/domain/account/decide.ts";
import { reviewRoleRequest, submitRoleRequest } from "#services/domain/account/role-requests.ts";
import { ABSENT, type AccountEvent, evolve } from "#services/domain/account/state.ts";

const userId = "user_1732150000000_abc123xyz";
const registered = (role: Role): AccountEvent => ({
  type: "UserRegistered",
  data: { userId, emailEncrypted: "e", nameEncrypted: "n", emailHmac: "h", role },
});
const roleChanged = (role: Role): AccountEvent => ({
  type: "UserRoleChanged",
  data: { userId, role },
});
const submitted: AccountEvent = {
  type: "RoleRequestSubmitted",
  data: {
    userId,
    roleRequestId: "r1",
    currentRole: "viewer",
    requestedRole: "editor",
    justificationEncrypted: "j",
  },
};
const given = (...events: AccountEvent[]) => events.reduce(evolve, ABSENT);
const command = {
  roleRequestId: "r1",
  requestedRole: "editor",
  justificationEncrypted: "j",
} as const;
const approval = {
  roleRequestId: "r1",
  status: "approved",
  reviewedBy: "user_1_admin",
  adminNotesEncrypted: null,
} as const;
const approved: AccountEvent = { type: "RoleRequestReviewed", data: { userId, ...approval } };

describe("a role request", () => {
  test("a role request is submitted with the role of the moment", () => {
    expect(submitRoleRequest(given(registered("viewer")), command)).toEqual([submitted]);
  });

  test.each<Role>(["editor", "admin"])(
    "a role request is refused to an %s as not above their role",
    (role) => {
      expect(() => submitRoleRequest(given(registered(role)), command)).toThrow("above");
    },
  );

  test("a role request is refused while another is pending", () => {
    const state = given(registered("viewer"), submitted);
    expect(() => submitRoleRequest(state, command)).toThrow("pending");
  });

  test("a role request changes the role with its approval", () => {
    const state = given(registered("viewer"), submitted);
    expect(reviewRoleRequest(state, approval)).toEqual([approved, roleChanged("editor")]);
  });

  test.each<Role>(["editor", "admin"])(
    "a role request leaves who was meanwhile made %s as they are",
    (role) => {
      const state = given(registered("viewer"), submitted, roleChanged(role));
      expect(reviewRoleRequest(state, approval)).toEqual([approved]);
    },
  );

  test("a role request is reviewed once", () => {
    const state = given(registered("viewer"), submitted, approved);
    expect(() => reviewRoleRequest(state, approval)).toThrow("already been reviewed");
  });
});

test("a disabled account gets no password reset", () => {
  const state = given(registered("viewer"), { type: "UserDeactivated", data: { userId } });
  expect(requestPasswordReset(state, { resetId: "reset", now: new Date() })).toEqual([]);
});

test("the last active administrator is not deleted", () => {
  const circumstances = { actor: "user_1_other", otherActiveAdministrator: false };
  expect(() => deleteUser(given(registered("admin")), circumstances)).toThrow("last active");
});
