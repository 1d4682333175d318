import { describe, expect, test } from "vitest";
import { SIGN_IN_REFUSALS } from "#contracts/sign-in-refusals.ts";
import { createVisitor } from "../../support/openid/start-institute.ts";
import { newPerson, useInstitute } from "./use-institute.ts";

const scene = useInstitute();
const { signIn, session, arrive, comeBack } = scene;

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
    const { service } = scene;
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

  test.each([
    ["their given and family name", { given_name: "Ana", family_name: "Ōkahu" }, "Ana Ōkahu"],
    ["their family name", { given_name: " ", family_name: "Ōkahu" }, "Ōkahu"],
    ["these where the name is an address", { name: "a@b.org", family_name: "Ōkahu" }, "Ōkahu"],
    ["their user name", { preferred_username: "aokahu" }, "aokahu"],
    ["no address", { name: "a@b.org", preferred_username: "a@b.org" }, /^user\d{4}$/],
    ["four digits where there is no name", {}, /^user\d{4}$/],
    ["four digits where no account may have the name", { name: "\u202e" }, /^user\d{4}$/],
  ] as const)("a person without a name of their own is named by %s", async (_, claims, name) => {
    const visitor = createVisitor();
    await signIn(newPerson({ name: undefined, ...claims }), visitor);
    const user = await session(visitor);
    expect(user?.["name"]).toEqual(typeof name === "string" ? name : expect.stringMatching(name));
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

  test.each([
    ["/catalogues/1?tab=map", "/catalogues/1?tab=map"],
    ["//elsewhere.example/", "/"],
    ["/\\elsewhere.example/", "/"],
    ["/.//elsewhere.example", "/"],
    ["https://elsewhere.example/", "/"],
    ["javascript:alert(1)", "/"],
  ])("a sign-in begun with next=%s leads to %s", async (next, location) => {
    scene.institute.attend(newPerson());
    const visitor = createVisitor();
    const path = `/api/auth/oidc?next=${encodeURIComponent(next)}`;
    expect(await comeBack(visitor, await arrive(visitor, path))).toMatchObject({ location });
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

  test("a code that has expired is 401", async () => {
    scene.institute.attend(newPerson());
    const visitor = createVisitor();
    const callback = await arrive(visitor);
    scene.institute.expireCodes(true);
    const answer = await comeBack(visitor, callback);
    scene.institute.expireCodes(false);
    expect(answer).toMatchObject({ status: 401, body: sentence("not-confirmed") });
    expect(await session(visitor)).toBeUndefined();
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

  test("an id token for another nonce is 401", async () => {
    scene.institute.attend(newPerson());
    const visitor = createVisitor();
    const callback = await arrive(visitor, undefined, ({ searchParams }) =>
      searchParams.set("nonce", "of another sign-in"),
    );
    expect(await comeBack(visitor, callback)).toMatchObject({
      status: 401,
      body: sentence("not-confirmed"),
    });
  });

  test("a code whose challenge is another's is 401", async () => {
    scene.institute.attend(newPerson());
    const visitor = createVisitor();
    const callback = await arrive(visitor, undefined, ({ searchParams }) =>
      searchParams.set("code_challenge", "A".repeat(43)),
    );
    expect((await comeBack(visitor, callback)).status).toBe(401);
  });

  test.each<[string, (url: URL) => void]>([
    ["another state", ({ searchParams }) => searchParams.set("state", "another")],
    ["no state", ({ searchParams }) => searchParams.delete("state")],
  ])("an answer with %s is 400, and its code is not used", async (_, change) => {
    scene.institute.attend(newPerson());
    const visitor = createVisitor();
    const callback = await arrive(visitor);
    const begun = visitor.cookies(scene.service.url);
    const changed = new URL(callback);
    change(changed);
    expect(await comeBack(visitor, changed.href)).toMatchObject({
      status: 400,
      body: sentence("not-begun"),
    });
    visitor.restore(scene.service.url, begun);
    expect((await comeBack(visitor, callback)).status).toBe(302);
  });

  test("an answer that names another issuer is 401", async () => {
    scene.institute.attend(newPerson());
    const visitor = createVisitor();
    const callback = new URL(await arrive(visitor));
    callback.searchParams.set("iss", "https://elsewhere.example");
    expect((await comeBack(visitor, callback.href)).status).toBe(401);
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

  test.each([
    ["no email", { email: undefined }, "no-email"],
    ["an email that is none", { email: "ana" }, "no-email"],
    ["an unverified email", { email_verified: false }, "unverified-email"],
    ["an email of which nothing is said", { email_verified: undefined }, "unverified-email"],
  ] as const)("a person with %s is 403, and there is no account", async (_, claims, reason) => {
    const before = await countUsers();
    const visitor = createVisitor();
    const answer = await signIn(newPerson(claims), visitor);
    expect(answer).toMatchObject({ status: 403, body: sentence(reason) });
    expect(await session(visitor)).toBeUndefined();
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
