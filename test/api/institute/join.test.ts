import { describe, expect, test } from "vitest";
import { SIGN_IN_REFUSALS } from "#contracts/sign-in-refusals.ts";
import { newAccount, newEmail, PASSWORD } from "../../support/api/accounts.ts";
import { createVisitor, type Visitor } from "../../support/openid/start-institute.ts";
import { newPerson, useInstitute } from "./use-institute.ts";

const scene = useInstitute();
const { service, signIn, session, arrive, comeBack } = scene;

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
      body: { error: SIGN_IN_REFUSALS["not-begun"].text },
    });
  });

  test("an unverified address joins nothing", async () => {
    const { email } = await newAccount(service, "admin");
    const visitor = createVisitor();
    expect(await signIn(newPerson({ email, email_verified: false }), visitor)).toMatchObject({
      status: 403,
      body: { error: SIGN_IN_REFUSALS["unverified-email"].text },
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
      body: { error: SIGN_IN_REFUSALS["email-of-another"].text },
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
      body: { error: SIGN_IN_REFUSALS.inactive.text },
    });
  });
});
