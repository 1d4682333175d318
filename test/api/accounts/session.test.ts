import { describe, expect, test } from "vitest";
import { newAccount } from "../../support/api/accounts.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { createApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { tryUpgrade } from "../../support/try-upgrade.ts";

const service = sharedService();
const BASE_URL = "http://catalogues.example.org";
const guest = () => createApiClient(service.url);

describe("a session", () => {
  test("a session is shown to its user, and is empty for anybody else", async () => {
    const { id, email, signIn } = await newAccount(service, "editor");
    const { client } = await signIn();
    expect((await client.get("/api/auth/session")).body).toEqual({
      user: { id, email, name: "editor", role: "editor" },
      expires: expect.stringMatching(/Z$/),
    });
    for (const stranger of [guest(), createApiClient(service.url, "no.good.token")]) {
      expect(await stranger.get("/api/auth/session")).toMatchObject({ status: 200, body: {} });
    }
  });

  test("a session ends by logging out, which takes the cookie away; others of the user live on", async () => {
    const { signIn } = await newAccount(service, "viewer");
    const [first, second] = [await signIn(), await signIn()];
    const { status, body, headers } = await first.client.send("POST", "/api/auth/logout");
    expect({ status, body }).toEqual({ status: 200, body: { success: true } });
    expect(headers.getSetCookie()).toEqual(["session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"]);
    expect((await first.client.get("/api/auth/session")).body).toEqual({});
    expect((await second.client.get("/api/auth/session")).body).toHaveProperty("user");
    expect((await guest().send("POST", "/api/auth/logout")).status).toBe(200);
  });

  test("a session is carried by the cookie as well as by the bearer token", async () => {
    const { signIn } = await newAccount(service, "editor");
    const { token } = await signIn();
    for (const headers of [
      { cookie: `session=${token}` },
      { cookie: `other=1; session=${token}` },
      { authorization: `bearer ${token}` },
    ]) {
      expect((await guest().get("/api/auth/session", headers)).body).toHaveProperty("user");
    }
  });

  const create = (headers: Record<string, string>) =>
    guest().send("POST", "/api/catalogues", { name: "by cookie", events: [] }, headers);

  test.each([
    ["no origin, as from curl", {}, 201],
    ["the service's own origin", { origin: BASE_URL }, 201],
    ["another origin", { origin: "http://evil.example.org" }, 403],
    ["the same host by https", { origin: "https://catalogues.example.org" }, 403],
    ["another port", { origin: `${BASE_URL}:8080` }, 403],
    ["a host that begins alike", { origin: `${BASE_URL}.evil.org` }, 403],
    ["the origin null", { origin: "null" }, 403],
  ])("a session by cookie writes from %s", async (_title, origin, expected) => {
    const { token } = await (await newAccount(service, "editor")).signIn();
    const answer = await create({ cookie: `session=${token}`, ...origin });
    expect(answer.status).toBe(expected);
    if (expected === 403) expectRefusal(answer, "FORBIDDEN", "origin");
  });

  test("a session by cookie reads, and by bearer token writes, from any origin", async () => {
    const { token } = await (await newAccount(service, "editor")).signIn();
    const origin = "http://evil.example.org";
    const read = await guest().get("/api/auth/session", { cookie: `session=${token}`, origin });
    expect(read.status).toBe(200);
    expect((await create({ authorization: `Bearer ${token}`, origin })).status).toBe(201);
  });

  test("a session cannot be ended from another origin by its cookie", async () => {
    const { token, client } = await (await newAccount(service, "viewer")).signIn();
    const headers = { cookie: `session=${token}`, origin: "http://evil.example.org" };
    expectRefusal(await guest().send("POST", "/api/auth/logout", undefined, headers), "FORBIDDEN");
    expect((await client.get("/api/auth/session")).body).toHaveProperty("user");
  });

  const evil = { origin: "http://evil.example.org" };

  test.each([
    ["a session by cookie and another origin", "cookie", false, evil, 403],
    ["a session by cookie and the origin null", "cookie", false, { origin: "null" }, 403],
    [
      "a session by cookie and the service's own origin",
      "cookie",
      false,
      { origin: BASE_URL },
      101,
    ],
    ["a session by cookie and no origin", "cookie", false, {}, 101],
    ["a bearer token and another origin", "bearer", false, evil, 101],
    ["no session and another origin", "none", true, evil, 101],
  ] as const)(
    "a WebSocket asked for with %s is answered right",
    async (_title, by, isPublic, origin, expected) => {
      const { token, client } = await (await newAccount(service, "editor")).signIn();
      const { id } = await createCatalogue(client, { is_public: isPublic });
      const sessions = {
        cookie: { cookie: `session=${token}` },
        bearer: { authorization: `Bearer ${token}` },
        none: {},
      };
      for (const path of [
        `/api/catalogues/${id}/feed/websocket`,
        `/api/feed/websocket?catalogue=${id}`,
      ]) {
        const headers = { ...sessions[by], ...origin };
        expect(await tryUpgrade(`${service.url}${path}`, headers)).toBe(expected);
      }
    },
  );
});
