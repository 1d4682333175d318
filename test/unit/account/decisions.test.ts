import { expect, test } from "vitest";
import { Refusal } from "#contracts/errors.ts";
import { TOKEN_NAME_MAX } from "#contracts/http/accounts.ts";
import type { Role } from "#contracts/rights.ts";
import { createFailedRegistrations } from "#services/accounts/registration.ts";
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
  type UpdateUser,
  updateUser,
} from "#services/domain/accounts/account.ts";
import { shortName } from "#services/domain/texts.ts";
import { testRows } from "../../support/test-rows.ts";

const userId = "user_1732150000000_abc123xyz";
const registration = { userId, emailEncrypted: "e", nameEncrypted: "n", emailHmac: "h" } as const;

const registered = (role: Role = "viewer"): AccountEvent => ({
  type: "UserRegistered",
  data: { ...registration, role },
});
const deactivated: AccountEvent = { type: "UserDeactivated", data: { userId } };
const reactivated: AccountEvent = { type: "UserReactivated", data: { userId } };
const deleted: AccountEvent = { type: "UserDeleted", data: { userId } };
const roleChanged = (role: Role, why: { because?: "groups" } = {}): AccountEvent => ({
  type: "UserRoleChanged",
  data: { userId, role, ...why },
});
const renamed = (nameEncrypted: string): AccountEvent => ({
  type: "UserRenamed",
  data: { userId, nameEncrypted },
});

type State = typeof ABSENT;
/** What is decided of an account with this history: these events, or a refusal whose message has this. */
type Row = readonly [
  what: string,
  history: readonly AccountEvent[],
  decide: (state: State) => readonly AccountEvent[],
  expected: readonly AccountEvent[] | string | Refusal,
];

const decides = (title: string, rows: readonly Row[]): void =>
  testRows<Row>(title, rows, (_, history, decide, expected) => {
    const decided = () => decide(history.reduce(evolve, ABSENT));
    if (Array.isArray(expected)) expect(decided()).toEqual(expected);
    else expect(decided).toThrow(expected as string | Refusal);
  });

const TAKEN = new Refusal("CONFLICT", "User with this email already exists");
const register = (state: State) => registerUser(state, { ...registration, role: "viewer" });
const close = (state: State) => closeUnfinished(state, userId);

decides("an account is registered once, and closed before it exists", [
  ["absent", [], register, [registered()]],
  ["there already", [registered()], register, TAKEN],
  ["closed before it was finished", [deleted], register, TAKEN],
  ["closing what does not exist", [], close, [deleted]],
  ["closing what is closed", [registered(), deleted], close, []],
  ["closing what exists", [registered()], close, TAKEN],
]);

const by =
  (actor: string, otherActiveAdministrator: boolean) => (command: UpdateUser) => (state: State) =>
    updateUser(state, command, { actor, otherActiveAdministrator });
const other = by("user_1_other", true);
const themselves = by(userId, true);
const alone = by("user_1_other", false);
const ADMIN = [registered("admin")];
const UNKNOWN = new Refusal("NOT_FOUND", "User not found");
const OWN = new Refusal("VALIDATION_ERROR", "You cannot demote or deactivate yourself");
const LAST = new Refusal(
  "CONFLICT",
  "The last active administrator cannot be demoted or deactivated",
);
const ALL: UpdateUser = { isActive: false, role: "editor", nameEncrypted: "m" };

decides(
  "an account changes in what is new, but no administrator their own role, nor the last one",
  [
    ["a name", [registered()], other({ nameEncrypted: "m" }), [renamed("m")]],
    ["a role", [registered()], other({ role: "editor" }), [roleChanged("editor")]],
    ["off", [registered()], other({ isActive: false }), [deactivated]],
    ["on again", [registered(), deactivated], other({ isActive: true }), [reactivated]],
    ["the role it has", [registered("editor")], other({ role: "editor" }), []],
    ["the role it got", [registered(), roleChanged("admin")], other({ role: "admin" }), []],
    ["on already", [registered()], other({ isActive: true }), []],
    ["off already", [registered(), deactivated], other({ isActive: false }), []],
    ["on since", [registered(), deactivated, reactivated], other({ isActive: true }), []],
    [
      "all, in this order",
      [registered(), renamed("x")],
      other(ALL),
      [renamed("m"), roleChanged("editor"), deactivated],
    ],
    ["an administrator's role", ADMIN, other({ role: "viewer" }), [roleChanged("viewer")]],
    ["an administrator off", ADMIN, other({ isActive: false }), [deactivated]],
    ["absent", [], other({ role: "editor" }), UNKNOWN],
    ["deleted", [registered(), deleted], other({ role: "editor" }), UNKNOWN],
    ["themselves an editor", ADMIN, themselves({ role: "editor" }), OWN],
    ["themselves a viewer", ADMIN, themselves({ role: "viewer" }), OWN],
    ["themselves off", ADMIN, themselves({ isActive: false }), OWN],
    [
      "their own name",
      ADMIN,
      themselves({ nameEncrypted: "m", role: "admin", isActive: true }),
      [renamed("m")],
    ],
    ["the last one's role", ADMIN, alone({ role: "editor" }), LAST],
    ["the last one off", ADMIN, alone({ isActive: false }), LAST],
    ["one who is off", [...ADMIN, deactivated], alone({ role: "viewer" }), [roleChanged("viewer")]],
    ["a viewer off", [registered()], alone({ isActive: false }), [deactivated]],
    [
      "the last one gone",
      ADMIN,
      (state) => deleteUser(state, { actor: "user_1_other", otherActiveAdministrator: false }),
      "last active",
    ],
    [
      "no reset of one that is off",
      [registered(), deactivated],
      (state) => requestPasswordReset(state, { resetId: "reset", now: new Date() }),
      [],
    ],
    ["an absent one", [], (state) => [evolve(state, deactivated) as never], "that is absent"],
  ],
);

const asked = {
  roleRequestId: "r1",
  requestedRole: "editor",
  justificationEncrypted: "j",
} as const;
const submitted: AccountEvent = {
  type: "RoleRequestSubmitted",
  data: { userId, currentRole: "viewer", ...asked },
};
const approval = {
  roleRequestId: "r1",
  status: "approved",
  reviewedBy: "user_1_admin",
  adminNotesEncrypted: null,
} as const;
const approved: AccountEvent = { type: "RoleRequestReviewed", data: { userId, ...approval } };
const submit = (state: State) => submitRoleRequest(state, asked);
const review = (state: State) => reviewRoleRequest(state, approval);
const PENDING = [registered(), submitted];

decides(
  "a role request is for more than the role of the moment, one at a time, and reviewed once",
  [
    ["of a viewer", [registered()], submit, [submitted]],
    ["of an editor", [registered("editor")], submit, "above"],
    ["of an administrator", ADMIN, submit, "above"],
    ["while another is pending", PENDING, submit, "pending"],
    ["approved", PENDING, review, [approved, roleChanged("editor")]],
    ["made editor meanwhile", [...PENDING, roleChanged("editor")], review, [approved]],
    ["made administrator meanwhile", [...PENDING, roleChanged("admin")], review, [approved]],
    ["reviewed", [...PENDING, approved], review, "already been reviewed"],
  ],
);

const NOW = "2026-01-02T00:00:00.000Z";
type Token = Omit<CreateAccessToken, "now" | "insteadOf">;
const TOKEN: Token = {
  tokenId: "t1",
  nameEncrypted: "n",
  scopes: ["read"],
  catalogues: null,
  secretHash: "00",
  ha1Encrypted: "h",
  expiresAt: "2026-02-01T00:00:00.000Z",
};
const created = (change: Partial<Token> = {}): AccountEvent => ({
  type: "AccessTokenCreated",
  data: { userId, ...TOKEN, ...change },
});
const ended = (tokenId: string): AccountEvent => ({
  type: "AccessTokenEnded",
  data: { userId, tokenId },
});
const want =
  (change: Partial<CreateAccessToken> = {}) =>
  (state: State) =>
    createAccessToken(state, { ...TOKEN, now: NOW, insteadOf: null, ...change });
const end = (tokenId: string) => (state: State) => endAccessToken(state, tokenId);
const asAdmin: Partial<Token> = { scopes: ["read", "admin"] };
const ninetyNine = Array.from({ length: 99 }, (_, i) => created({ tokenId: `o${i}` }));
const EXPIRED = [registered(), created({ tokenId: "old", expiresAt: NOW }), ...ninetyNine];
const HUNDRED = [...EXPIRED, created({ tokenId: "last" })];

decides("access tokens are made within one's role, a hundred that are good, and ended once", [
  ["of a viewer", [registered()], want(), [created()]],
  ["beyond the role", [registered("editor")], want(asAdmin), "beyond your role"],
  ["of an administrator", ADMIN, want(asAdmin), [created(asAdmin)]],
  ["of nobody", [], want(), "User not found"],
  ["expired ones do not count", EXPIRED, want(), [created()]],
  ["a hundred do", HUNDRED, want(), "100"],
  ["ended ones do not", [...HUNDRED, ended("o7")], want(), [created()]],
  ["one whose secret is lost", HUNDRED, want({ insteadOf: "last" }), [ended("last"), created()]],
  ["in the place of none", [registered()], want({ insteadOf: "never" }), [created()]],
  ["ended", [registered(), created()], end("t1"), [ended("t1")]],
  ["ended twice", [registered(), created(), ended("t1")], end("t1"), "not found"],
  ["another", [registered(), created()], end("t2"), "not found"],
]);

test("an access token's name is trimmed and counted in code points", () => {
  expect(shortName(`  ${"𝄞".repeat(100)} `, TOKEN_NAME_MAX)).toBe("𝄞".repeat(100));
});

testRows(
  "an access token's name is refused",
  [
    ["", "name"],
    [" \t", "name"],
    ["a".repeat(101), "at most 100"],
    ["two\nlines", "control"],
    ["\u202Eturned", "direction"],
  ],
  (name, why) => {
    expect(() => shortName(name, TOKEN_NAME_MAX)).toThrow(why);
  },
);

testRows<[string[], Role]>(
  "the role of groups is the highest",
  [
    [["heads", "analysts"], "admin"],
    [["analysts", "others"], "editor"],
    [["Analysts"], "viewer"],
    [[], "viewer"],
  ],
  (groups, role) => {
    const groupsOfRoles = { admin: ["it", "heads"], editor: ["analysts"] };
    expect(roleOfGroups(groups, groupsOfRoles)).toBe(role);
  },
);

const follow = (role: Role, isOther: boolean) => (state: State) =>
  followGroups(state, role, isOther);
const byGroups = (role: Role) => [roleChanged(role, { because: "groups" })];

decides("the role follows groups, but leaves the last active administrator one", [
  ["up", [registered()], follow("admin", true), byGroups("admin")],
  ["down", ADMIN, follow("viewer", true), byGroups("viewer")],
  ["as it is", [registered("editor")], follow("editor", false), []],
  ["the last one", ADMIN, follow("viewer", false), []],
  ["one who is off", [...ADMIN, deactivated], follow("viewer", false), byGroups("viewer")],
]);

const identity = { issuer: "https://sso.example.org", subjectEncrypted: "s", identityHmac: "i" };
const tied = (change = {}): AccountEvent => ({
  type: "IdentityTied",
  data: { userId, ...identity, ...change },
});
const tie =
  (change = {}) =>
  (state: State) =>
    tieIdentity(state, { ...identity, ...change }, NOW);
const WITH_TOKENS = [
  registered(),
  created({ tokenId: "good", expiresAt: "2027-01-01" }),
  created({ tokenId: "old", expiresAt: NOW }),
];

decides(
  "an identity is tied once, in the place of another, and ends the tokens that are good still",
  [
    ["the first", [registered()], tie(), [tied()]],
    ["the same, encrypted anew", [registered(), tied()], tie({ subjectEncrypted: "anew" }), []],
    ["another", [registered(), tied()], tie({ identityHmac: "j" }), [tied({ identityHmac: "j" })]],
    ["with tokens", WITH_TOKENS, tie(), [tied(), ended("good")]],
    ["of a deleted account", [registered(), deleted], tie(), "User not found"],
  ],
);

const emailHmac = "h";
const reserved = (holder: string): ReservationEvent => ({
  type: "EmailReserved",
  data: { emailHmac, userId: holder },
});
const released = (holder: string): ReservationEvent => ({
  type: "EmailReleased",
  data: { emailHmac, userId: holder },
});

testRows<[string, ReservationEvent[], string | null, ReservationEvent[] | null]>(
  "an email address is reserved where it is free, or its holder's account is closed",
  [
    ["free", [], null, [reserved("b")]],
    ["released", [reserved("a"), released("a")], null, [reserved("b")]],
    ["of a closed account", [reserved("a")], "a", [released("a"), reserved("b")]],
    ["another's", [reserved("a")], null, null],
    ["taken over meanwhile", [reserved("a")], "z", null],
  ],
  (_, history, closedHolder, expected) => {
    const command = { emailHmac, userId: "b", closedHolder };
    const decided = () => reserveEmail(history.reduce(evolveReservation, FREE), command);
    if (expected === null) expect(decided).toThrow(TAKEN);
    else expect(decided()).toEqual(expected);
  },
);

test("of failed registrations the latest are known, as many as there is room for", () => {
  const failed = createFailedRegistrations(2);
  expect(failed.has("a")).toBe(false);
  for (const holder of ["a", "b", "a", "c"]) failed.add(holder);
  expect(["a", "b", "c"].map(failed.has)).toEqual([true, false, true]);
});
