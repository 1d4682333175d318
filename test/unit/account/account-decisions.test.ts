import { describe, expect, test } from "vitest";
import { Refusal } from "#contracts/errors.ts";
import type { Role } from "#contracts/roles.ts";
import {
  closeUnfinished,
  registerUser,
  type UpdateCircumstances,
  type UpdateUser,
  updateUser,
} from "#services/domain/account/decide.ts";
import { ABSENT, type AccountEvent, evolve } from "#services/domain/account/state.ts";

const userId = "user_1732150000000_abc123xyz";
const registration = {
  userId,
  emailEncrypted: "e",
  nameEncrypted: "n",
  emailHmac: "h",
} as const;

function registered(role: Role = "viewer"): AccountEvent {
  return { type: "UserRegistered", data: { ...registration, role } };
}
const deactivated: AccountEvent = { type: "UserDeactivated", data: { userId } };
const reactivated: AccountEvent = { type: "UserReactivated", data: { userId } };
const deleted: AccountEvent = { type: "UserDeleted", data: { userId } };
const roleChanged = (role: Role): AccountEvent => ({
  type: "UserRoleChanged",
  data: { userId, role },
});
const renamed = (nameEncrypted: string): AccountEvent => ({
  type: "UserRenamed",
  data: { userId, nameEncrypted },
});

const given = (...events: AccountEvent[]) => events.reduce(evolve, ABSENT);
const byAnother: UpdateCircumstances = { actor: "user_1_other", otherActiveAdministrator: true };
const byThemselves: UpdateCircumstances = { actor: userId, otherActiveAdministrator: true };
const asLastAdministrator: UpdateCircumstances = {
  actor: "user_1_other",
  otherActiveAdministrator: false,
};

describe("registering an account", () => {
  const command = { ...registration, role: "viewer" } as const;

  test("registering an account registers an absent account", () => {
    expect(registerUser(given(), command)).toEqual([registered()]);
  });

  test.each([
    ["exists", given(registered())],
    ["was closed before it was finished", given(deleted)],
  ])("registering an account is refused as a conflict when the account %s", (_, state) => {
    expect(() => registerUser(state, command)).toThrow(
      new Refusal("CONFLICT", "User with this email already exists"),
    );
  });
});

describe("closing a registration that was not finished", () => {
  test("closing a registration that was not finished closes the account before it exists", () => {
    expect(closeUnfinished(given(), userId)).toEqual([deleted]);
  });

  test("closing a registration that was not finished changes nothing when the account is closed already", () => {
    expect(closeUnfinished(given(registered(), deleted), userId)).toEqual([]);
  });

  test("closing a registration that was not finished is refused as a conflict when the account exists", () => {
    expect(() => closeUnfinished(given(registered()), userId)).toThrow(
      new Refusal("CONFLICT", "User with this email already exists"),
    );
  });
});

describe("updating an account", () => {
  test.each<[string, AccountEvent[], UpdateUser, AccountEvent[]]>([
    ["renames it", [registered()], { nameEncrypted: "m" }, [renamed("m")]],
    ["changes the role", [registered()], { role: "editor" }, [roleChanged("editor")]],
    ["deactivates it", [registered()], { isActive: false }, [deactivated]],
    ["reactivates it", [registered(), deactivated], { isActive: true }, [reactivated]],
    ["keeps the role it has", [registered("editor")], { role: "editor" }, []],
    ["keeps a changed role", [registered(), roleChanged("admin")], { role: "admin" }, []],
    ["leaves an active account active", [registered()], { isActive: true }, []],
    ["leaves a disabled account disabled", [registered(), deactivated], { isActive: false }, []],
    [
      "leaves an account that was reactivated",
      [registered(), deactivated, reactivated],
      { isActive: true },
      [],
    ],
    [
      "changes name, role and active state in this order",
      [registered(), renamed("x")],
      { isActive: false, role: "editor", nameEncrypted: "m" },
      [renamed("m"), roleChanged("editor"), deactivated],
    ],
    [
      "demotes an administrator",
      [registered("admin")],
      { role: "viewer" },
      [roleChanged("viewer")],
    ],
    ["deactivates an administrator", [registered("admin")], { isActive: false }, [deactivated]],
  ])("%s", (_, events, command, expected) => {
    expect(updateUser(given(...events), command, byAnother)).toEqual(expected);
  });

  test.each([
    ["absent", given()],
    ["deleted", given(registered(), deleted)],
  ])("updating an account is refused as not found when the account is %s", (_, state) => {
    expect(() => updateUser(state, { role: "editor" }, byAnother)).toThrow(
      new Refusal("NOT_FOUND", "User not found"),
    );
  });

  test.each<UpdateUser>([{ role: "editor" }, { role: "viewer" }, { isActive: false }])(
    "updating an account refuses administrators who do %j to themselves",
    (command) => {
      expect(() => updateUser(given(registered("admin")), command, byThemselves)).toThrow(
        new Refusal("VALIDATION_ERROR", "You cannot demote or deactivate yourself"),
      );
    },
  );

  test("updating an account lets administrators rename themselves", () => {
    const command = { nameEncrypted: "m", role: "admin", isActive: true } as const;
    expect(updateUser(given(registered("admin")), command, byThemselves)).toEqual([renamed("m")]);
  });

  test.each<UpdateUser>([{ role: "editor" }, { isActive: false }])(
    "updating an account refuses %j for the last active administrator",
    (command) => {
      expect(() => updateUser(given(registered("admin")), command, asLastAdministrator)).toThrow(
        new Refusal("CONFLICT", "The last active administrator cannot be demoted or deactivated"),
      );
    },
  );

  test("updating an account demotes a disabled administrator without another active one", () => {
    const state = given(registered("admin"), deactivated);
    expect(updateUser(state, { role: "viewer" }, asLastAdministrator)).toEqual([
      roleChanged("viewer"),
    ]);
  });

  test("updating an account deactivates a viewer without another active administrator", () => {
    expect(updateUser(given(registered()), { isActive: false }, asLastAdministrator)).toEqual([
      deactivated,
    ]);
  });
});

test("an account changes only while it exists", () => {
  expect(() => evolve(ABSENT, deactivated)).toThrow("UserDeactivated on an account that is absent");
});
