import { describe, expect, test } from "vitest";
import type { Role } from "#contracts/roles.ts";
import { followGroups, roleOfGroups, tieIdentity } from "#services/domain/account/institute.ts";
import { ABSENT, type AccountEvent, evolve } from "#services/domain/account/state.ts";

const NOW = "2026-01-02T00:00:00.000Z";
const userId = "user_1732150000000_abc123xyz";
const registered = (role: Role): AccountEvent => ({
  type: "UserRegistered",
  data: { userId, emailEncrypted: "e", nameEncrypted: "n", emailHmac: "h", role },
});
const deactivated: AccountEvent = { type: "UserDeactivated", data: { userId } };
const given = (...events: AccountEvent[]) => events.reduce(evolve, ABSENT);

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
