import { describe, expect, test } from "vitest";
import { TOKEN_NAME_MAX } from "#contracts/http/accounts/access-tokens.ts";
import type { Role } from "#contracts/roles.ts";
import {
  type CreateAccessToken,
  createAccessToken,
  endAccessToken,
} from "#services/domain/account/access-tokens.ts";
import { ABSENT, type AccountEvent, evolve } from "#services/domain/account/state.ts";
import { shortName } from "#services/domain/short-text.ts";

const userId = "user_1732150000000_abc123xyz";
const NOW = "2026-01-02T00:00:00.000Z";
const registered = (role: Role): AccountEvent => ({
  type: "UserRegistered",
  data: { userId, emailEncrypted: "e", nameEncrypted: "n", emailHmac: "h", role },
});
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
const given = (...events: AccountEvent[]) => events.reduce(evolve, ABSENT);
const command = (change: Partial<CreateAccessToken> = {}): CreateAccessToken => ({
  ...TOKEN,
  now: NOW,
  insteadOf: null,
  ...change,
});

describe("an access token", () => {
  test("is made for every role", () => {
    expect(createAccessToken(given(registered("viewer")), command())).toEqual([created()]);
  });

  test("with the scope admin is made for administrators alone", () => {
    const wanted = command({ scopes: ["read", "admin"] });
    expect(() => createAccessToken(given(registered("editor")), wanted)).toThrow(
      "beyond your role",
    );
    expect(createAccessToken(given(registered("admin")), wanted)).toHaveLength(1);
  });

  test("is not made for nobody", () => {
    expect(() => createAccessToken(ABSENT, command())).toThrow("User not found");
  });

  test("is one of a hundred; ended and expired ones do not count", () => {
    const others = Array.from({ length: 99 }, (_, i) => created({ tokenId: `o${i}` }));
    const expired = created({ tokenId: "old", expiresAt: NOW });
    const most = given(registered("viewer"), expired, ...others);
    expect(createAccessToken(most, command())).toHaveLength(1);
    const all = evolve(most, created({ tokenId: "last" }));
    expect(() => createAccessToken(all, command())).toThrow("100");
    expect(createAccessToken(evolve(all, ended("o7")), command())).toHaveLength(1);
  });

  test("takes the place of the one whose secret an earlier run of the command has lost", () => {
    const others = Array.from({ length: 99 }, (_, i) => created({ tokenId: `o${i}` }));
    const state = given(registered("viewer"), ...others, created({ tokenId: "lost" }));
    expect(createAccessToken(state, command({ insteadOf: "lost" }))).toEqual([
      ended("lost"),
      created(),
    ]);
    const first = given(registered("viewer"));
    expect(createAccessToken(first, command({ insteadOf: "never" }))).toEqual([created()]);
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
