import { describe, expect, test } from "vitest";
import type { MadeShare } from "#contracts/http/shares.ts";
import { newAccessToken } from "../../support/api/access-tokens.ts";
import { newAccount, PASSWORD } from "../../support/api/accounts.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { resetTokenOf } from "../../support/api/reset-token.ts";
import { createApiClient } from "../../support/api-client.ts";
import { createVisitor } from "../../support/openid/start-institute.ts";
import { newPerson, useInstitute } from "../institute/use-institute.ts";

const scene = useInstitute();
const { service } = scene;
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
