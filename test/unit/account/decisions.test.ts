import { describe, expect, test } from "vitest";
import { Refusal } from "#contracts/errors.ts";
import { TOKEN_NAME_MAX } from "#contracts/http/accounts.ts";
import type { Role } from "#contracts/rights.ts";
import { createFailedRegistrations } from "#services/context.ts";
import {
  ABSENT,
  type AccountEvent,
  type CreateAccessToken,
  closeUnfinished,
  createAccessToken,
  deleteUser,
  endAccessToken,
  evolve,
  evolveReservation,
  FREE,
  followGroups,
  type ReservationEvent,
  registerUser,
  requestPasswordReset,
  reserveEmail,
  reviewRoleRequest,
  roleOfGroups,
  submitRoleRequest,
  tieIdentity,
  type UpdateCircumstances,
  type UpdateUser,
  updateUser,
} from "#services/domain/accounts/account.ts";
import { shortName } from "#services/domain/texts/short-text.ts";

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

const NOW = "2026-01-02T00:00:00.000Z";
const TOKEN = {
  tokenId: "t1",
  nameEncrypted: "n",
  scopes: ["read"],
  catalogues: null,
  secretHash: "00",
  ha1Encrypted: "h",
  expiresAt: "2026-02-01T00:00:00.000Z",
} satisfies Omit<CreateAccessToken, "now" | "insteadOf">;
const created = (change: Partial<typeof TOKEN> = {}): AccountEvent => ({
  type: "AccessTokenCreated",
  data: { userId, ...TOKEN, ...change },
});
const ended = (tokenId: string): AccountEvent => ({
  type: "AccessTokenEnded",
  data: { userId, tokenId },
});
const tokenWanted = (change: Partial<CreateAccessToken> = {}): CreateAccessToken => ({
  ...TOKEN,
  now: NOW,
  insteadOf: null,
  ...change,
});

describe("an access token", () => {
  test("is made for every role", () => {
    expect(createAccessToken(given(registered("viewer")), tokenWanted())).toEqual([created()]);
  });

  test("with the scope admin is made for administrators alone", () => {
    const wanted = tokenWanted({ scopes: ["read", "admin"] });
    expect(() => createAccessToken(given(registered("editor")), wanted)).toThrow(
      "beyond your role",
    );
    expect(createAccessToken(given(registered("admin")), wanted)).toHaveLength(1);
  });

  test("is not made for nobody", () => {
    expect(() => createAccessToken(ABSENT, tokenWanted())).toThrow("User not found");
  });

  test("is one of a hundred; ended and expired ones do not count", () => {
    const others = Array.from({ length: 99 }, (_, i) => created({ tokenId: `o${i}` }));
    const expired = created({ tokenId: "old", expiresAt: NOW });
    const most = given(registered("viewer"), expired, ...others);
    expect(createAccessToken(most, tokenWanted())).toHaveLength(1);
    const all = evolve(most, created({ tokenId: "last" }));
    expect(() => createAccessToken(all, tokenWanted())).toThrow("100");
    expect(createAccessToken(evolve(all, ended("o7")), tokenWanted())).toHaveLength(1);
  });

  test("takes the place of the one whose secret an earlier run of the command has lost", () => {
    const others = Array.from({ length: 99 }, (_, i) => created({ tokenId: `o${i}` }));
    const state = given(registered("viewer"), ...others, created({ tokenId: "lost" }));
    expect(createAccessToken(state, tokenWanted({ insteadOf: "lost" }))).toEqual([
      ended("lost"),
      created(),
    ]);
    const first = given(registered("viewer"));
    expect(createAccessToken(first, tokenWanted({ insteadOf: "never" }))).toEqual([created()]);
  });

  test("is ended once", () => {
    const state = given(registered("viewer"), created());
    expect(endAccessToken(state, "t1")).toEqual([ended("t1")]);
    expect(() => endAccessToken(evolve(state, ended("t1")), "t1")).toThrow("not found");
    expect(() => endAccessToken(state, "t2")).toThrow("not found");
  });
});

describe("an access token's name", () => {
  test("is trimmed and counted in code points", () => {
    expect(shortName(`  ${"𝄞".repeat(100)} `, TOKEN_NAME_MAX)).toBe("𝄞".repeat(100));
  });

  test.each([
    ["", "name"],
    [" \t", "name"],
    ["a".repeat(101), "at most 100"],
    ["two\nlines", "control"],
    ["\u202Eturned", "direction"],
  ])("%j is refused", (name, why) => {
    expect(() => shortName(name, TOKEN_NAME_MAX)).toThrow(why);
  });
});

describe("the role of groups", () => {
  const groupsOfRoles = { admin: ["it", "heads"], editor: ["analysts"] };

  test.each<[string[], Role]>([
    [["heads", "analysts"], "admin"],
    [["analysts", "others"], "editor"],
    [["Analysts"], "viewer"],
    [[], "viewer"],
  ])("the role of groups is the highest of %j: %s", (groups, role) => {
    expect(roleOfGroups(groups, groupsOfRoles)).toBe(role);
  });
});

describe("following groups", () => {
  const changed = (role: Role): AccountEvent => ({
    type: "UserRoleChanged",
    data: { userId, role, because: "groups" },
  });

  test.each<[Role, Role]>([
    ["viewer", "admin"],
    ["admin", "viewer"],
  ])("following groups makes a %s a %s", (before, after) => {
    expect(followGroups(given(registered(before)), after, true)).toEqual([changed(after)]);
  });

  test("following groups writes nothing where the role is right", () => {
    expect(followGroups(given(registered("editor")), "editor", false)).toEqual([]);
  });

  test("following groups leaves the last active administrator one", () => {
    expect(followGroups(given(registered("admin")), "viewer", false)).toEqual([]);
  });

  test("following groups lowers an administrator who is not active", () => {
    const state = given(registered("admin"), deactivated);
    expect(followGroups(state, "viewer", false)).toEqual([changed("viewer")]);
  });
});

describe("tying an identity", () => {
  const identity = { issuer: "https://sso.example.org", subjectEncrypted: "s", identityHmac: "i" };
  const tied: AccountEvent = { type: "IdentityTied", data: { userId, ...identity } };

  test("tying an identity records it once", () => {
    expect(tieIdentity(given(registered("viewer")), identity, NOW)).toEqual([tied]);
    const again = { ...identity, subjectEncrypted: "encrypted anew" };
    expect(tieIdentity(given(registered("viewer"), tied), again, NOW)).toEqual([]);
  });

  test("tying another identity replaces the first", () => {
    const other = { ...identity, identityHmac: "j" };
    expect(tieIdentity(given(registered("viewer"), tied), other, NOW)).toEqual([
      { type: "IdentityTied", data: { userId, ...other } },
    ]);
  });

  test("tying an identity ends the account's access tokens that are good still", () => {
    const token = (tokenId: string, expiresAt: string): AccountEvent => ({
      type: "AccessTokenCreated",
      data: {
        ...{ userId, tokenId, nameEncrypted: "n", scopes: ["read"], catalogues: null },
        ...{ secretHash: tokenId, ha1Encrypted: "h", expiresAt },
      },
    });
    const state = given(registered("viewer"), token("good", "2027-01-01"), token("old", NOW));
    expect(tieIdentity(state, identity, NOW)).toEqual([
      tied,
      { type: "AccessTokenEnded", data: { userId, tokenId: "good" } },
    ]);
  });

  test("tying an identity of a deleted account is refused", () => {
    const deleted: AccountEvent = { type: "UserDeleted", data: { userId } };
    expect(() => tieIdentity(given(registered("viewer"), deleted), identity, NOW)).toThrow(
      "User not found",
    );
  });
});

const emailHmac = "h";
const reserved = (userId: string): ReservationEvent => ({
  type: "EmailReserved",
  data: { emailHmac, userId },
});
const released = (userId: string): ReservationEvent => ({
  type: "EmailReleased",
  data: { emailHmac, userId },
});
const heldBy = (...events: ReservationEvent[]) => events.reduce(evolveReservation, FREE);

describe("reserving an email address", () => {
  test("reserving an email address reserves a free address", () => {
    const command = { emailHmac, userId: "b", closedHolder: null };
    expect(reserveEmail(heldBy(), command)).toEqual([reserved("b")]);
  });

  test("reserving an email address reserves an address that was released", () => {
    const command = { emailHmac, userId: "b", closedHolder: null };
    expect(reserveEmail(heldBy(reserved("a"), released("a")), command)).toEqual([reserved("b")]);
  });

  test("reserving an email address takes the address from a holder whose account is closed", () => {
    const command = { emailHmac, userId: "b", closedHolder: "a" };
    expect(reserveEmail(heldBy(reserved("a")), command)).toEqual([released("a"), reserved("b")]);
  });

  test.each([
    ["is another's", null],
    ["was meanwhile taken over by another", "z"],
  ])(
    "reserving an email address is refused as a conflict when the address %s",
    (_, closedHolder) => {
      const command = { emailHmac, userId: "b", closedHolder };
      expect(() => reserveEmail(heldBy(reserved("a")), command)).toThrow(
        new Refusal("CONFLICT", "User with this email already exists"),
      );
    },
  );
});

test("of failed registrations the latest are known, as many as there is room for", () => {
  const failed = createFailedRegistrations(2);
  expect(failed.has("a")).toBe(false);
  for (const userId of ["a", "b", "a", "c"]) failed.add(userId);
  expect(["a", "b", "c"].map(failed.has)).toEqual([true, false, true]);
});
