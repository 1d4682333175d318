import { describe, expect, test } from "vitest";
import { SIGN_IN_REFUSALS } from "#contracts/errors.ts";
import type { MadeShare } from "#contracts/http/catalogues.ts";
import { newAccessToken } from "../../support/api/access-tokens.ts";
import { newAccount, newEmail, PASSWORD } from "../../support/api/accounts.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { resetTokenOf } from "../../support/api/reset-token.ts";
import { createApiClient } from "../../support/api-client.ts";
import { createVisitor, type Visitor } from "../../support/openid/start-institute.ts";
import { sharedService, signInOf, useService } from "../../support/service.ts";
import { newPerson, useInstitute } from "./use-institute.ts";

const scene = useInstitute();
const { service, signIn, session, arrive, comeBack } = scene;
/** For what another institute, or other settings of it, would disturb. */
const useGateway = (variables: Readonly<Record<string, string>> = {}) =>
  useInstitute({ ROLES: "gateway", ...variables }, { copyOf: service });

const without = sharedService();

const sentence = (reason: keyof typeof SIGN_IN_REFUSALS) => ({
  error: SIGN_IN_REFUSALS[reason].text,
});

async function countUsers(): Promise<number> {
  const admin = await scene.service.loginAs("admin");
  return (await admin.get<{ users: unknown[] }>("/api/users")).body.users.length;
}

describe("a sign-in with the institute's account", () => {
  test("a first sign-in makes an account with name and verified address, without a password", async () => {
    const person = newPerson();
    const visitor = createVisitor();
    expect(await signIn(person, visitor)).toMatchObject({ status: 302, location: "/" });
    const user = await session(visitor);
    expect(user).toMatchObject({ email: person["email"], name: "Ana Ōkahu", role: "viewer" });
    const admin = await scene.service.loginAs("admin");
    expect((await admin.get(`/api/users/${user?.["id"]}`)).body).toMatchObject({
      user: { email_verified: true, is_active: true, last_login: expect.any(String) },
    });
    const login = { email: person["email"], password: "" };
    expect((await visitor.post(`${service.url}/api/auth/login`, login)).status).toBe(401);
  });

  test("a later sign-in is the same account's, whatever address and name are by then", async () => {
    const person = newPerson();
    const [first, later] = [createVisitor(), createVisitor()];
    await signIn(person, first);
    const changed = { ...newPerson(), sub: person.sub, email_verified: false, name: "Bea" };
    expect((await signIn(changed, later)).status).toBe(302);
    expect(await session(later)).toEqual(await session(first));
  });

  test("two first sign-ins at once make one account", async () => {
    const person = newPerson();
    const visitors = [createVisitor(), createVisitor(), createVisitor()];
    const answers = await Promise.all(visitors.map((visitor) => signIn(person, visitor)));
    expect(answers.map(({ status }) => status)).toEqual([302, 302, 302]);
    const users = await Promise.all(visitors.map(session));
    expect(new Set(users.map((user) => user?.["id"])).size).toBe(1);
  });

  test("a person without a name of their own is named by what the institute tells beside it", async () => {
    for (const [claims, name] of [
      [{ given_name: "Ana", family_name: "Ōkahu" }, "Ana Ōkahu"],
      [{ given_name: " ", family_name: "Ōkahu" }, "Ōkahu"],
      // No address is a name, nor what no account may be called.
      [{ name: "a@b.org", family_name: "Ōkahu" }, "Ōkahu"],
      [{ preferred_username: "aokahu" }, "aokahu"],
      [{ name: "a@b.org", preferred_username: "a@b.org" }, /^user\d{4}$/],
      [{}, /^user\d{4}$/],
      [{ name: "\u202e" }, /^user\d{4}$/],
    ] as const) {
      const visitor = createVisitor();
      await signIn(newPerson({ name: undefined, ...claims }), visitor);
      expect((await session(visitor))?.["name"], JSON.stringify(claims)).toMatch(name);
    }
  });

  test("the log has neither the subject nor the address in clear", async () => {
    const person = newPerson({ sub: "very-own-subject" });
    const visitor = createVisitor();
    await signIn(person, visitor);
    const user = await session(visitor);
    const admin = await scene.service.loginAs("admin");
    const { body } = await admin.get<{ entries: { type: string; summary: string }[] }>(
      `/api/audit?subject=user-${user?.["id"]}`,
    );
    const { issuer } = scene.institute;
    expect(body.entries.map(({ summary }) => summary)).toContain(
      `Account tied to an account of ${issuer}`,
    );
    const text = await scene.service.log.text();
    expect(text).toContain(issuer);
    expect(text).not.toContain("very-own-subject");
    expect(text).not.toContain(person["email"]);
  });

  test("a sign-in leads where it was begun for, here alone", async () => {
    for (const [next, location] of [
      ["/catalogues/1?tab=map", "/catalogues/1?tab=map"],
      ["//elsewhere.example/", "/"],
      ["/\\elsewhere.example/", "/"],
      ["/.//elsewhere.example", "/"],
      ["https://elsewhere.example/", "/"],
      ["javascript:alert(1)", "/"],
    ] as const) {
      scene.institute.attend(newPerson());
      const visitor = createVisitor();
      const path = `/api/auth/oidc?next=${encodeURIComponent(next)}`;
      const answer = await comeBack(visitor, await arrive(visitor, path));
      expect(answer, next).toMatchObject({ location });
    }
  });

  test("the session is in a cookie that scripts cannot read, and what the sign-in kept is gone", async () => {
    scene.institute.attend(newPerson());
    const visitor = createVisitor();
    const callback = await arrive(visitor);
    const { url } = scene.service;
    expect(visitor.cookies(url)).toMatch(/^oidc=/);
    const { pathname, search } = new URL(callback);
    const cookies = (await visitor.get(url + pathname + search)).headers.getSetCookie();
    expect(cookies[0]).toMatch(
      /^session=[\w-]+\.[\w-]+\.[\w-]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(cookies[1]).toBe("oidc=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax");
    expect(visitor.cookies(url)).toMatch(/^session=[^;]+$/);
  });

  test("signing out ends the session here", async () => {
    const visitor = createVisitor();
    await signIn(newPerson(), visitor);
    const { url } = scene.service;
    const before = visitor.cookies(url);
    expect((await visitor.post(`${url}/api/auth/logout`, {})).status).toBe(200);
    expect(await session(visitor)).toBeUndefined();
    visitor.restore(url, before);
    expect(await session(visitor)).toBeUndefined();
  });
});

describe("a sign-in that fails", () => {
  test("a sign-in that the person cancels at the institute is 401", async () => {
    const answer = await signIn(null);
    expect(answer).toMatchObject({ status: 401, body: sentence("cancelled") });
  });

  test("a browser is led to the page for signing in, which says why", async () => {
    scene.institute.attend(null);
    const visitor = createVisitor("text/html,application/xhtml+xml");
    const callback = await arrive(visitor, "/api/auth/oidc?next=/profile");
    expect(await comeBack(visitor, callback)).toMatchObject({
      status: 302,
      location: "/login?refused=cancelled&next=%2Fprofile",
    });
    expect(visitor.cookies(scene.service.url)).toBe("");
  });

  test("a code that has expired, or whose id token, challenge or issuer is another's, is 401", async () => {
    type Change = (url: URL) => void;
    const set =
      (name: string, value: string): Change =>
      (url) =>
        url.searchParams.set(name, value);
    const ROWS: readonly (readonly [what: string, begun?: Change | undefined, back?: Change])[] = [
      ["expired", undefined, () => scene.institute.expireCodes(true)],
      ["nonce", set("nonce", "of another sign-in")],
      ["challenge", set("code_challenge", "A".repeat(43))],
      ["issuer", undefined, set("iss", "https://elsewhere.example")],
    ];
    for (const [what, begun, back] of ROWS) {
      scene.institute.attend(newPerson());
      const visitor = createVisitor();
      const callback = new URL(await arrive(visitor, undefined, begun));
      back?.(callback);
      const answer = await comeBack(visitor, callback.href);
      scene.institute.expireCodes(false);
      expect(answer, what).toMatchObject({ status: 401, body: sentence("not-confirmed") });
      expect(await session(visitor), what).toBeUndefined();
    }
  });

  test("a code that is used a second time is 401, even with the cookie of the first", async () => {
    scene.institute.attend(newPerson());
    const visitor = createVisitor();
    const callback = await arrive(visitor);
    const { url } = scene.service;
    const begun = visitor.cookies(url);
    expect((await comeBack(visitor, callback)).status).toBe(302);
    const thief = createVisitor();
    expect(await comeBack(thief, callback)).toMatchObject({
      status: 400,
      body: sentence("not-begun"),
    });
    thief.restore(url, begun);
    expect(await comeBack(thief, callback)).toMatchObject({
      status: 401,
      body: sentence("not-confirmed"),
    });
    expect(await session(thief)).toBeUndefined();
  });

  test("an answer with another state or none is 400, and its code is not used", async () => {
    for (const state of ["another", null]) {
      scene.institute.attend(newPerson());
      const visitor = createVisitor();
      const callback = await arrive(visitor);
      const begun = visitor.cookies(scene.service.url);
      const changed = new URL(callback);
      if (state === null) changed.searchParams.delete("state");
      else changed.searchParams.set("state", state);
      expect(await comeBack(visitor, changed.href)).toMatchObject({
        status: 400,
        body: sentence("not-begun"),
      });
      visitor.restore(scene.service.url, begun);
      expect((await comeBack(visitor, callback)).status).toBe(302);
    }
  });

  test("a cookie that was changed is 400", async () => {
    scene.institute.attend(newPerson());
    const visitor = createVisitor();
    const callback = await arrive(visitor);
    const { url } = scene.service;
    const [payload = "", signature = ""] = visitor.cookies(url).replace("oidc=", "").split(".");
    const { value, until } = JSON.parse(Buffer.from(payload, "base64url").toString());
    const forged = JSON.stringify({ value: { ...value, next: "/forged" }, until });
    visitor.restore(url, `oidc=${Buffer.from(forged).toString("base64url")}.${signature}`);
    expect((await comeBack(visitor, callback)).status).toBe(400);
  });

  test("a person without a verified email is 403, and there is no account", async () => {
    const before = await countUsers();
    for (const [claims, reason] of [
      [{ email: undefined }, "no-email"],
      [{ email: "ana" }, "no-email"],
      [{ email_verified: false }, "unverified-email"],
      [{ email_verified: undefined }, "unverified-email"],
    ] as const) {
      const visitor = createVisitor();
      const answer = await signIn(newPerson(claims), visitor);
      expect(answer).toMatchObject({ status: 403, body: sentence(reason) });
      expect(await session(visitor)).toBeUndefined();
    }
    expect(await countUsers()).toBe(before);
  });

  test("an account that an administrator has deactivated is 403", async () => {
    const person = newPerson();
    const visitor = createVisitor();
    await signIn(person, visitor);
    const admin = await scene.service.loginAs("admin");
    const user = await session(visitor);
    await admin.send("PATCH", `/api/users/${user?.["id"]}`, { is_active: false });
    expect(await session(visitor)).toBeUndefined();
    expect(await signIn(person, visitor)).toMatchObject({
      status: 403,
      body: sentence("inactive"),
    });
  });

  test("a person whose account was deleted gets a new one", async () => {
    const person = newPerson();
    const visitor = createVisitor();
    await signIn(person, visitor);
    const before = await session(visitor);
    const admin = await scene.service.loginAs("admin");
    await admin.send("DELETE", `/api/users/${before?.["id"]}`);
    expect((await signIn(person, visitor)).status).toBe(302);
    const after = await session(visitor);
    expect(after).toMatchObject({ email: before?.["email"], role: "viewer" });
    expect(after?.["id"]).not.toBe(before?.["id"]);
  });
});

async function join(visitor: Visitor, password: unknown) {
  const response = await visitor.post(`${service.url}/api/auth/oidc/join`, { password });
  return { status: response.status, body: await response.json() };
}

describe("an account that has the address already", () => {
  test("an account that has the address is joined by its password, once", async () => {
    const { id, email } = await newAccount(service, "editor");
    const person = newPerson({ email: email.toUpperCase() });
    const visitor = createVisitor();
    scene.institute.attend(person);
    const callback = await arrive(visitor, "/api/auth/oidc?next=/profile");
    expect(await comeBack(visitor, callback)).toMatchObject({
      status: 302,
      location: "/join?next=%2Fprofile",
    });
    expect(await session(visitor)).toBeUndefined();
    expect(await join(visitor, PASSWORD)).toEqual({
      status: 200,
      body: {
        user: { id, email, name: "editor", role: "editor" },
        token: expect.any(String),
        tokensEnded: 0,
        shares: [],
      },
    });
    expect(await session(visitor)).toMatchObject({ id });
    expect(visitor.cookies(service.url)).toMatch(/^session=[^;]+$/);
    const later = createVisitor();
    expect(await signIn({ ...person, email: newEmail() }, later)).toMatchObject({
      status: 302,
      location: "/",
    });
    expect(await session(later)).toMatchObject({ id, email });
  });

  test("a wrong password joins nothing, and the right one still does", async () => {
    const { id, email } = await newAccount(service, "viewer");
    const visitor = createVisitor();
    await signIn(newPerson({ email }), visitor);
    expect(await join(visitor, "a wrong password")).toMatchObject({
      status: 401,
      body: { error: "The password is wrong" },
    });
    expect(await join(visitor, 12)).toMatchObject({ status: 400 });
    expect(await session(visitor)).toBeUndefined();
    expect((await join(visitor, PASSWORD)).status).toBe(200);
    expect(await session(visitor)).toMatchObject({ id });
  });

  test("nobody joins without having signed in at the institute", async () => {
    expect(await join(createVisitor(), PASSWORD)).toMatchObject({
      status: 400,
      body: sentence("not-begun"),
    });
  });

  test("an unverified address joins nothing", async () => {
    const { email } = await newAccount(service, "admin");
    const visitor = createVisitor();
    expect(await signIn(newPerson({ email, email_verified: false }), visitor)).toMatchObject({
      status: 403,
      body: sentence("unverified-email"),
    });
    expect((await join(visitor, PASSWORD)).status).toBe(400);
  });

  test("an account without a password, made by an administrator, is tied without one", async () => {
    const admin = await service.loginAs("admin");
    const form = { name: "Bea", email: newEmail(), role: "editor" };
    await admin.send("POST", "/api/users", form);
    const visitor = createVisitor();
    expect((await signIn(newPerson({ email: form.email }), visitor)).status).toBe(302);
    expect(await session(visitor)).toMatchObject(form);
  });

  test("an address that the institute has given to somebody else does not open the account", async () => {
    const person = newPerson();
    await signIn(person);
    const successor = newPerson({ email: person["email"] });
    expect(await signIn(successor)).toMatchObject({
      status: 403,
      body: sentence("email-of-another"),
    });
  });

  test("a deactivated account is not joined", async () => {
    const { id, email } = await newAccount(service, "viewer");
    const admin = await service.loginAs("admin");
    const visitor = createVisitor();
    await signIn(newPerson({ email }), visitor);
    await admin.send("PATCH", `/api/users/${id}`, { is_active: false });
    expect((await join(visitor, PASSWORD)).status).toBe(401);
    expect(await signIn(newPerson({ email }))).toMatchObject({
      status: 403,
      body: sentence("inactive"),
    });
  });
});

const guest = () => createApiClient(service.url);

const NEW = "a wholly new password";

type GivenOut = { tokensEnded: number; shares: MadeShare[] };

/** An account that has given out two tokens and a share, of which one has expired and one was ended. */
async function generous() {
  const account = await newAccount(service, "editor");
  const { client } = await account.signIn();
  const tokens = [
    await newAccessToken(client),
    await newAccessToken(client, { scopes: ["write"] }),
  ];
  const gone = await newAccessToken(client);
  await client.send("DELETE", `/api/tokens/${gone.id}`);
  const { id, name } = await createCatalogue(client);
  type Shared = { share: { id: string; url: string } };
  const share = async (label: string) =>
    (await client.send<Shared>("POST", `/api/catalogues/${id}/shares`, { label })).body.share;
  const ended = await share("ended");
  await client.send("DELETE", `/api/catalogues/${id}/shares/${ended.id}`);
  const { url, ...made } = await share("for a guest");
  // Somebody else's, of the same catalogue.
  await (await service.loginAs("editor")).send("POST", `/api/catalogues/${id}/shares`, {});
  const told = { ...made, catalogue_id: id, catalogue_name: name };
  const scripts = tokens.map(({ secret }) => createApiClient(service.url, secret));
  const isRefused = async () =>
    Promise.all(scripts.map(async (script) => (await script.get("/api/catalogues")).status));
  const isShared = async () => (await guest().get(`${new URL(url).pathname}/events`)).status;
  return { ...account, client, told, isRefused, isShared };
}

describe("access tokens end with the account's former hands, shares are told and stay", () => {
  test("when the password is reset", async () => {
    const { id, told, isRefused, isShared, client } = await generous();
    expect(await isRefused()).toEqual([200, 200]);
    const reset = { token: await resetTokenOf(service, id), newPassword: NEW };
    const answer = await guest().send<GivenOut>("POST", "/api/auth/reset-password", reset);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ message: expect.any(String), tokensEnded: 2, shares: [told] });
    expect(await isRefused()).toEqual([401, 401]);
    expect(await isShared()).toBe(200);
    expect((await client.get("/api/tokens")).status).toBe(401);
  });

  test("when a link that is no longer good is tried, none", async () => {
    const { id, isRefused } = await generous();
    const late = new Date(Date.now() - 2 * 3_600_000);
    for (const token of [await resetTokenOf(service, id, late), "none"]) {
      const form = { token, newPassword: NEW };
      const answer = await guest().send("POST", "/api/auth/reset-password", form);
      expectRefusal(answer, "VALIDATION_ERROR");
    }
    const token = await resetTokenOf(service, id);
    const short = { token, newPassword: "short" };
    expectRefusal(
      await guest().send("POST", "/api/auth/reset-password", short),
      "VALIDATION_ERROR",
    );
    expect(await isRefused()).toEqual([200, 200]);
  });

  test("when the password is changed, if that is asked for", async () => {
    const { client, told, isRefused, isShared } = await generous();
    const form = { currentPassword: PASSWORD, newPassword: NEW };
    const kept = await client.send("POST", "/api/auth/change-password", form);
    expect(kept.body).toEqual({ message: expect.any(String) });
    expect(await isRefused()).toEqual([200, 200]);
    const again = { currentPassword: NEW, newPassword: PASSWORD, endTokens: true };
    const answer = await client.send<GivenOut>("POST", "/api/auth/change-password", again);
    expect(answer.body).toEqual({ message: expect.any(String), tokensEnded: 2, shares: [told] });
    expect(await isRefused()).toEqual([401, 401]);
    expect(await isShared()).toBe(200);
    expect((await client.get("/api/tokens")).body).toEqual({ tokens: [] });
  });

  test("when the account is joined, whose sessions end too", async () => {
    const { email, client, told, isRefused, isShared } = await generous();
    const visitor = createVisitor();
    await scene.signIn(newPerson({ email }), visitor);
    const join = `${service.url}/api/auth/oidc/join`;
    const wrong = await visitor.post(join, { password: "a wrong password" });
    expect([wrong.status, await isRefused()]).toEqual([401, [200, 200]]);
    const response = await visitor.post(join, { password: PASSWORD });
    const { tokensEnded, shares } = (await response.json()) as GivenOut;
    expect({ tokensEnded, shares }).toEqual({ tokensEnded: 2, shares: [told] });
    expect(await isRefused()).toEqual([401, 401]);
    expect(await isShared()).toBe(200);
    expect((await client.get("/api/tokens")).status).toBe(401);
    expect(await scene.session(visitor)).toMatchObject({ email });
  });

  test("when the account is deleted", async () => {
    const { id, told, isRefused, isShared } = await generous();
    const admin = await service.loginAs("admin");
    const answer = await admin.send<GivenOut>("DELETE", `/api/users/${id}`);
    expect(answer.body).toEqual({ message: "User deleted", tokensEnded: 2, shares: [told] });
    expect(await isRefused()).toEqual([401, 401]);
    expect(await isShared()).toBe(200);
  });

  test("but for shares of catalogues that are no longer there for the owner", async () => {
    const { id, client } = await generous();
    const owner = await newAccount(service, "editor");
    const other = (await owner.signIn()).client;
    const { id: catalogue } = await createCatalogue(other);
    await client.send("POST", `/api/catalogues/${catalogue}/shares`, { label: "not told" });
    await other.send("PATCH", `/api/catalogues/${catalogue}`, { access: "restricted" });
    const reset = { token: await resetTokenOf(service, id), newPassword: NEW };
    const answer = await guest().send<GivenOut>("POST", "/api/auth/reset-password", reset);
    expect(answer.body.shares.map(({ label }) => label)).toEqual(["for a guest"]);
  });
});

test("a stranger's token does not write for who has come to the account by a reset and the institute", async () => {
  const { id, email, signIn } = await newAccount(service, "viewer");
  const stranger = (await signIn()).client;
  const scopes = ["read", "write"];
  const beyond = await stranger.send("POST", "/api/tokens", { name: "Later", scopes });
  expectRefusal(beyond, "FORBIDDEN", "write");
  const { secret } = await newAccessToken(stranger, { expiresInDays: 366 });
  const reset = { token: await resetTokenOf(service, id), newPassword: NEW };
  expect((await guest().send("POST", "/api/auth/reset-password", reset)).status).toBe(200);
  const visitor = createVisitor();
  await scene.signIn(newPerson({ email }), visitor);
  expect((await visitor.post(`${service.url}/api/auth/oidc/join`, { password: NEW })).status).toBe(
    200,
  );
  await (await service.loginAs("admin")).send("PATCH", `/api/users/${id}`, { role: "editor" });
  const script = createApiClient(service.url, secret);
  expectRefusal(await script.get("/api/catalogues"), "UNAUTHENTICATED", "ended");
});

const MIB = 1024 * 1024;
const UNAVAILABLE = { status: 503, body: sentence("unavailable") };
/** Of which nothing is known yet. */
const unknown = useGateway();

/** A text of JSON that never ends. */
function* endless(): Generator<Buffer> {
  yield Buffer.from('{"issuer":"');
  for (;;) yield Buffer.alloc(64 * 1024, "x");
}

test("an answer of an institute is read no further than 1 MiB: what it says of itself", async () => {
  unknown.institute.answer({ path: "/openid-configuration", body: endless });
  expect(await unknown.comeBack(createVisitor(), "/api/auth/oidc")).toMatchObject(UNAVAILABLE);
  // What was under way when the connection was closed lies in buffers.
  expect(unknown.institute.sent()).toBeLessThan(8 * MIB);
  unknown.institute.answer(null);
});

test("what an institute says of itself is refused where it is too deep", async () => {
  const { issuer } = unknown.institute;
  const said = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
  // One level is the whole.
  for (const levels of [64, 200_000]) {
    const deep = `"further":${"[".repeat(levels)}${"]".repeat(levels)}`;
    const body = () => [Buffer.from(`${JSON.stringify(said).slice(0, -1)},${deep}}`)];
    unknown.institute.answer({ path: "/openid-configuration", body });
    expect(await unknown.comeBack(createVisitor(), "/api/auth/oidc")).toMatchObject(UNAVAILABLE);
  }
  unknown.institute.answer(null);
});

/** Of which no keys are known yet. */
const later = useGateway();

test("an answer of an institute is read no further than 1 MiB: tokens, keys and claims", async () => {
  for (const path of ["/token", "/jwks", "/me"]) {
    later.institute.attend(newPerson());
    const visitor = createVisitor();
    const callback = await later.arrive(visitor);
    const before = later.institute.sent();
    later.institute.answer({ path, body: endless });
    expect(await later.comeBack(visitor, callback), path).toMatchObject(UNAVAILABLE);
    const sent = later.institute.sent() - before;
    expect(sent).toBeGreaterThan(MIB);
    expect(sent).toBeLessThan(8 * MIB);
    later.institute.answer(null);
  }
});

test("a subject of more than 255 characters is refused with a sentence, and one of 255 signs in", async () => {
  const sub = "s".repeat(255);
  expect((await later.signIn(newPerson({ sub }))).status).toBe(302);
  expect(await later.signIn(newPerson({ sub: `${sub}s` }))).toMatchObject({
    status: 403,
    body: sentence("long-subject"),
  });
});

const silent = useGateway();

test("an institute that stays silent is 503, others are answered before that, and it is asked again at the next sign-in", async () => {
  const visitor = createVisitor();
  silent.institute.freeze(true);
  let answered = 0;
  const answers = Promise.all(
    [1, 2, 3, 4].map(async () => {
      const answer = await silent.comeBack(visitor, "/api/auth/oidc");
      answered += 1;
      return answer;
    }),
  );
  const guest = createApiClient(silent.service.url);
  expect((await guest.get("/api/auth/session")).status).toBe(200);
  expect(answered).toBe(0);
  for (const answer of await answers) expect(answer).toMatchObject(UNAVAILABLE);
  silent.institute.freeze(false);
  expect((await silent.signIn(newPerson(), visitor)).status).toBe(302);
  expect(await silent.session(visitor)).toBeDefined();
});

test("once a known institute is silent, who comes back from it is 503 and not signed in, and who begins comes to the page for signing in", async () => {
  const visitor = createVisitor();
  silent.institute.attend(newPerson());
  const callback = await silent.arrive(visitor);
  silent.institute.freeze(true);
  const browser = createVisitor("text/html");
  const begin = async () => (await silent.comeBack(browser, "/api/auth/oidc?next=/jobs")).location;
  const [answer] = await Promise.all([
    silent.comeBack(visitor, callback),
    // It counts as answering for a second.
    expect.poll(begin, { timeout: 9_000 }).toBe("/login?refused=unavailable&next=%2Fjobs"),
  ]);
  expect(answer).toMatchObject(UNAVAILABLE);
  silent.institute.freeze(false);
  expect(await silent.session(visitor)).toBeUndefined();
});

const absent = useService(
  { ROLES: "gateway", OIDC_ISSUER: "http://127.0.0.1:9", OIDC_CLIENT_ID: "earthquakes" },
  { copyOf: service },
);

test("an institute that is not there is 503, and after some attempts is not asked for a while", async () => {
  for (let attempt = 0; attempt < 7; attempt += 1) {
    const { status, body } = await createApiClient(absent.url).get("/api/auth/oidc");
    expect({ status, body }).toMatchObject(UNAVAILABLE);
  }
  const admin = await absent.loginAs("admin");
  const state = /^circuit_breaker_state\{circuit="127\.0\.0\.1:9"\} (\d)$/m;
  const { body } = await admin.get<string>("/metrics");
  expect(state.exec(body)?.[1]).toBe("2");
});

const badlySetUp = useGateway({ OIDC_CLIENT_SECRET: "of another service" });

test("an institute that does not know the service's secret is 503 with a sentence that says who can help", async () => {
  expect(await badlySetUp.signIn(newPerson())).toMatchObject({
    status: 503,
    body: sentence("badly-set-up"),
  });
});

const ROLES = "admin=seismology-admins, editor=analysts, editor=cn=staff";
const only = useGateway({ OIDC_ONLY: "true", OIDC_ROLES: ROLES });

describe("with OIDC_ONLY", () => {
  const scene = only;
  const guest = () => createApiClient(scene.service.url);
  const OFF = { error: expect.stringContaining("institute's account"), code: "FORBIDDEN" };

  test("registration is closed", async () => {
    const form = { name: "Ana", email: newEmail(), password: PASSWORD };
    const { status, body } = await guest().send("POST", "/api/auth/register", form);
    expect({ status, body }).toEqual({ status: 403, body: { error: "Registration is closed" } });
  });

  test("passwords are neither forgotten, reset nor changed", async () => {
    const { email } = signInOf("admin");
    const reset = { token: "any", newPassword: PASSWORD };
    const answers = [
      await guest().send("POST", "/api/auth/forgot-password", { email }),
      await guest().send("POST", "/api/auth/reset-password", reset),
      await (await scene.service.loginAs("admin")).send("POST", "/api/auth/change-password", {
        currentPassword: signInOf("admin").password,
        newPassword: PASSWORD,
      }),
    ];
    for (const { status, body } of answers)
      expect({ status, body }).toEqual({ status: 403, body: OFF });
  });

  test("only the bootstrap administrator signs in by a password", async () => {
    const { email } = await newAccount(service, "admin");
    const login = (credentials: object) => guest().send("POST", "/api/auth/login", credentials);
    const refused = await login({ email, password: PASSWORD });
    expect(refused).toMatchObject({ status: 401, body: { error: "Invalid email or password" } });
    const { email: bootstrap, password } = signInOf("admin");
    expect((await login({ email: bootstrap.toUpperCase(), password })).status).toBe(200);
  });

  test("whoever had a password joins the account by it", async () => {
    const { id, email } = await newAccount(service, "editor");
    const visitor = createVisitor();
    expect((await scene.signIn(newPerson({ email }), visitor)).location).toMatch(/^\/join/);
    const joined = await visitor.post(`${scene.service.url}/api/auth/oidc/join`, {
      password: PASSWORD,
    });
    expect(joined.status).toBe(200);
    expect(await scene.session(visitor)).toMatchObject({ id });
  });

  test("the settings say so", async () => {
    expect((await guest().get("/api/settings")).body).toMatchObject({
      registration: "closed",
      signIn: { passwords: false, institute: true },
    });
  });
});

describe("with REGISTRATION=approval", () => {
  const scene = useGateway({ REGISTRATION: "approval" });

  test("a first sign-in makes an account that an administrator has to activate", async () => {
    const person = newPerson();
    const visitor = createVisitor();
    expect((await scene.signIn(person, visitor)).status).toBe(403);
    expect((await scene.signIn(person, visitor)).status).toBe(403);
    const admin = await scene.service.loginAs("admin");
    const { body } = await admin.get<{ users: { id: string; email: string }[] }>("/api/users");
    const [user] = body.users.filter(({ email }) => email === person["email"]);
    expect(user).toMatchObject({ is_active: false });
    await admin.send("PATCH", `/api/users/${user?.id}`, { is_active: true });
    expect((await scene.signIn(person, visitor)).status).toBe(302);
    expect(await scene.session(visitor)).toMatchObject({ id: user?.id });
  });
});

test("without OIDC_ISSUER nothing is at the addresses of sign-ins, and the settings tell of no institute", async () => {
  for (const [method, path] of [
    ["GET", "/api/auth/oidc"],
    ["GET", "/api/auth/oidc?next=/profile"],
    ["GET", "/api/auth/oidc?x=1"],
    ["GET", "/api/auth/oidc/callback?code=a&state=b"],
    ["GET", "/api/auth/oidc/callback?code=any"],
    ["POST", "/api/auth/oidc/join"],
  ] as const) {
    const body = method === "POST" ? "{" : null;
    const headers = { "content-type": "application/json" };
    const response = await fetch(without.url + path, { method, headers, body });
    const answer = [path, response.status, await response.json()];
    expect(answer).toMatchObject([path, 404, { error: "Not found" }]);
  }
  expect((await createApiClient(without.url).get("/api/settings")).body).toMatchObject({
    signIn: { passwords: true, institute: false },
  });
});

describe("by groups:", () => {
  const { service, signIn, session } = only;

  async function roleOf(groups: unknown): Promise<unknown> {
    const visitor = createVisitor();
    await signIn(newPerson({ groups }), visitor);
    return (await session(visitor))?.["role"];
  }

  test("a person's groups are a role, where they are named exactly", async () => {
    for (const [groups, role] of [
      [["analysts"], "editor"],
      [["others", "cn=staff"], "editor"],
      ["analysts", "editor"],
      [["analysts", "seismology-admins"], "admin"],
      [["ANALYSTS"], "viewer"],
      [[], "viewer"],
      [undefined, "viewer"],
      [{ analysts: true }, "viewer"],
    ] as const) {
      expect(await roleOf(groups), JSON.stringify(groups)).toBe(role);
    }
  });

  test("the role follows the groups at each sign-in, also in sessions that are there, and the audit says why", async () => {
    const person = newPerson({ groups: ["analysts"] });
    const visitor = createVisitor();
    await signIn(person, visitor);
    await signIn({ ...person, groups: [] });
    const user = await session(visitor);
    expect(user).toMatchObject({ role: "viewer" });
    const admin = await service.loginAs("admin");
    const { body } = await admin.get<{ entries: unknown[] }>(
      `/api/audit?subject=user-${user?.["id"]}&type=UserRoleChanged`,
    );
    expect(body.entries).toMatchObject([
      { actor: "system", summary: "Role changed to viewer, as the groups at the institute say" },
    ]);
  });

  test("a role that an administrator gave lasts until the next sign-in", async () => {
    const person = newPerson({ groups: ["analysts"] });
    const visitor = createVisitor();
    await signIn(person, visitor);
    const admin = await service.loginAs("admin");
    await admin.send("PATCH", `/api/users/${(await session(visitor))?.["id"]}`, { role: "admin" });
    expect(await session(visitor)).toMatchObject({ role: "admin" });
    await signIn(person, visitor);
    expect(await session(visitor)).toMatchObject({ role: "editor" });
  });

  test("the last active administrator stays one without the group", async () => {
    const person = newPerson({ groups: ["seismology-admins"] });
    const visitor = createVisitor();
    await signIn(person, visitor);
    const { url } = service;
    const response = await visitor.get(`${url}/api/users`);
    const { users } = (await response.json()) as { users: { id: string; role: string }[] };
    const own = (await session(visitor))?.["id"];
    for (const { id, role } of users) {
      if (role !== "admin" || id === own) continue;
      const change = { method: "PATCH", body: JSON.stringify({ is_active: false }) };
      const headers = { "content-type": "application/json", cookie: visitor.cookies(url) };
      expect((await fetch(`${url}/api/users/${id}`, { ...change, headers })).status).toBe(200);
    }
    await signIn({ ...person, groups: [] }, visitor);
    expect(await session(visitor)).toMatchObject({ role: "admin" });
  });
});
