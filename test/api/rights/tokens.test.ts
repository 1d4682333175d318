import { randomUUID } from "node:crypto";
import pg from "pg";
import { describe, expect, test } from "vitest";
import type { AccessToken } from "#contracts/http/accounts/access-tokens.ts";
import { basic, newAccessToken } from "../../support/api/access-tokens.ts";
import { newAccount, PASSWORD } from "../../support/api/accounts.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { createApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";

const service = useService();
const by = (secret: string) => createApiClient(service.url, secret);
const guest = () => createApiClient(service.url);

type Tokens = { tokens: AccessToken[] };

async function accountOf(role: "viewer" | "editor" | "admin") {
  const account = await newAccount(service, role);
  return { ...account, ...(await account.signIn()) };
}

describe("an access token", () => {
  test("is shown with its secret once, and without it from then on", async () => {
    const { client } = await accountOf("editor");
    const form = { name: " Nightly ", scopes: ["read", "write"], expiresInDays: 7 };
    const answer = await client.send<{ token: AccessToken; secret: string }>(
      "POST",
      "/api/tokens",
      form,
    );
    expect(answer.status).toBe(201);
    const { token, secret } = answer.body;
    expect(secret).toMatch(/^eqc_[0-9A-Za-z]{27,}$/);
    expect(token).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "Nightly",
      scopes: ["read", "write"],
      catalogues: null,
      created_at: expect.any(String),
      expires_at: expect.any(String),
      last_used: null,
    });
    expect(Date.parse(token.expires_at) - Date.parse(token.created_at)).toBe(7 * 86_400_000);
    const { body } = await client.get<Tokens>("/api/tokens");
    expect(body).toEqual({ tokens: [token] });
  });

  test("lasts 90 days unless it is said otherwise", async () => {
    const { client } = await accountOf("viewer");
    const { created_at, expires_at } = await newAccessToken(client);
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(90 * 86_400_000);
  });

  test.each([
    ["no scope", { scopes: [] }],
    ["an unknown scope", { scopes: ["read", "all"] }],
    ["no day", { expiresInDays: 0 }],
    ["more than 366 days", { expiresInDays: 367 }],
    ["a name of two lines", { name: "a\nb" }],
    ["a name of more than 100 characters", { name: "a".repeat(101) }],
    ["no catalogue", { catalogues: [] }],
  ])("is not made with %s", async (_what, fault) => {
    const { client } = await accountOf("viewer");
    const form = { name: "A script", scopes: ["read"], ...fault };
    expectRefusal(await client.send("POST", "/api/tokens", form), "VALIDATION_ERROR");
    expect((await client.get<Tokens>("/api/tokens")).body.tokens).toEqual([]);
  });

  test("needs a name", async () => {
    const { client } = await accountOf("viewer");
    const form = { name: " ", scopes: ["read"] };
    expectRefusal(await client.send("POST", "/api/tokens", form), "MISSING_NAME");
  });

  test.each([
    ["viewer", "write"],
    ["viewer", "admin"],
    ["editor", "admin"],
    ["viewer", "metrics"],
    ["editor", "metrics"],
  ] as const)(
    "of a %s is not made with the scope %s, which is beyond the role",
    async (role, scope) => {
      const { client } = await accountOf(role);
      const form = { name: "A script", scopes: ["read", scope] };
      expectRefusal(await client.send("POST", "/api/tokens", form), "FORBIDDEN", scope);
      expect((await client.get<Tokens>("/api/tokens")).body.tokens).toEqual([]);
    },
  );

  test("is made once under an Idempotency-Key, and its secret not told again", async () => {
    const { client } = await accountOf("viewer");
    const form = { name: "A script", scopes: ["read"] };
    const headers = { "idempotency-key": randomUUID() };
    type Made = { token: AccessToken; secret: string };
    const { body } = await client.send<Made>("POST", "/api/tokens", form, headers);
    const again = await client.send("POST", "/api/tokens", form, headers);
    expectRefusal(again, "CONFLICT", "not kept");
    expect(JSON.stringify(again.body)).not.toContain(body.secret);
    const { tokens } = (await client.get<Tokens>("/api/tokens")).body;
    expect(tokens.map(({ id }) => id)).toEqual([body.token.id]);
  });

  test("is one of at most a hundred", { timeout: 30_000 }, async () => {
    const { client } = await accountOf("viewer");
    for (let i = 0; i < 100; i += 1) await newAccessToken(client);
    const form = { name: "A script", scopes: ["read"] };
    expectRefusal(await client.send("POST", "/api/tokens", form), "CONFLICT", "100");
  });
});

describe("by an access token", () => {
  test.each([
    ["Bearer", (secret: string) => `Bearer ${secret}`],
    ["Basic with any user name", (secret: string) => basic(secret)],
    ["Basic without a user name", (secret: string) => basic(secret, "")],
  ])("%s a script speaks for its owner", async (_scheme, header) => {
    const { client, id } = await accountOf("editor");
    const { secret } = await newAccessToken(client, { scopes: ["write"] });
    const headers = { authorization: header(secret) };
    const { body } = await guest().get<{ user: { id: string } }>("/api/auth/session", headers);
    expect(body.user.id).toBe(id);
    const form = { name: "By a script", events: [] };
    const made = await guest().send<{ created_by: string }>(
      "POST",
      "/api/catalogues",
      form,
      headers,
    );
    expect(made.status).toBe(201);
    expect(made.body.created_by).toBe(id);
  });

  test("neither tokens are made nor passwords changed nor sessions ended", async () => {
    const { client } = await accountOf("admin");
    const { secret } = await newAccessToken(client, { scopes: ["admin"] });
    const form = { name: "Another", scopes: ["read"] };
    const password = { currentPassword: PASSWORD, newPassword: `${PASSWORD} anew` };
    for (const [path, body] of [
      ["/api/tokens", form],
      ["/api/auth/change-password", password],
      ["/api/auth/logout", {}],
    ] as const) {
      expectRefusal(await by(secret).send("POST", path, body), "FORBIDDEN", "token");
    }
  });

  test("what the role forbids stays forbidden, whatever its scopes", async () => {
    const { client, id } = await accountOf("editor");
    const { secret } = await newAccessToken(client, { scopes: ["read", "write"] });
    const admin = await service.loginAs("admin");
    await admin.send("PATCH", `/api/users/${id}`, { role: "viewer" });
    const answer = await by(secret).send("POST", "/api/catalogues", { name: "x", events: [] });
    expectRefusal(answer, "FORBIDDEN", "permissions");
  });

  test("a scope opens what its role's operations are, and nothing above", async () => {
    const { client } = await accountOf("admin");
    const scopes = ["read", "write", "admin"] as const;
    const statusesOf = async (scope: string) => {
      const { secret } = await newAccessToken(client, { scopes: [scope] });
      const script = by(secret);
      const answers = [
        await script.get("/api/catalogues"),
        await script.send("POST", "/api/catalogues", { name: "x", events: [] }),
        await script.get("/api/users"),
      ];
      return answers.map(({ status }) => status);
    };
    const [read, write, admin] = await Promise.all(scopes.map(statusesOf));
    expect(read).toEqual([200, 403, 403]);
    expect(write).toEqual([200, 201, 403]);
    expect(admin).toEqual([200, 201, 200]);
  });

  test("what writes nothing needs the scope read alone, though editors alone may do it", async () => {
    const { client } = await accountOf("editor");
    const { secret } = await newAccessToken(client);
    const [a, b] = await Promise.all([createCatalogue(client), createCatalogue(client)]);
    const sourceCatalogues = [a, b].map(({ id, name }) => ({ id, name }));
    const config = {
      timeThreshold: 30,
      distanceThreshold: 50,
      mergeStrategy: "quality",
      priority: "quality",
    };
    const merge = { name: "Merged", sourceCatalogues, config };
    const preview = await by(secret).send("POST", "/api/merge/preview", merge);
    expect(preview.status, JSON.stringify(preview.body)).toBe(200);
    expectRefusal(await by(secret).send("POST", "/api/merge", merge), "FORBIDDEN", "scope write");
    const comparison = { reference: a.id, other: b.id };
    const compared = await by(secret).send("POST", "/api/compare", comparison);
    expect(compared.status, JSON.stringify(compared.body)).not.toBe(403);
  });
});

describe("an access token that is no longer good is refused with a sentence of its own", () => {
  const PUBLIC = "/api/catalogues";

  test("unknown", async () => {
    const answer = await by(`eqc_${"0".repeat(28)}`).get(PUBLIC);
    expectRefusal(answer, "UNAUTHENTICATED", "not known");
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  });

  test("ended by its owner", async () => {
    const { client } = await accountOf("viewer");
    const { id, secret } = await newAccessToken(client);
    expect((await by(secret).get(PUBLIC)).status).toBe(200);
    expect((await client.send("DELETE", `/api/tokens/${id}`)).body).toEqual({ success: true });
    expectRefusal(await by(secret).get(PUBLIC), "UNAUTHENTICATED", "ended");
    expectRefusal(await client.send("DELETE", `/api/tokens/${id}`), "NOT_FOUND");
    expect((await client.get<Tokens>("/api/tokens")).body.tokens).toEqual([]);
  });

  test("expired", async () => {
    const { client } = await accountOf("viewer");
    const { id, secret } = await newAccessToken(client);
    const database = new pg.Client(service.databaseUrl);
    await database.connect();
    try {
      await database.query(
        "update read_model.access_tokens set expires_at = now() - interval '1 second' where id = $1",
        [id],
      );
    } finally {
      await database.end();
    }
    expectRefusal(await by(secret).get(PUBLIC), "UNAUTHENTICATED", "expired");
    // Its owner sees it, and clears it away.
    const { tokens } = (await client.get<Tokens>("/api/tokens")).body;
    expect(tokens.map((token) => token.id)).toEqual([id]);
    expect((await client.send("DELETE", `/api/tokens/${id}`)).status).toBe(200);
  });

  test("asleep while its owner is deactivated, gone with its owner", async () => {
    const admin = await service.loginAs("admin");
    const { id, client } = await accountOf("viewer");
    const { secret } = await newAccessToken(client);
    await admin.send("PATCH", `/api/users/${id}`, { is_active: false });
    expectRefusal(await by(secret).get(PUBLIC), "UNAUTHENTICATED", "deactivated");
    await admin.send("PATCH", `/api/users/${id}`, { is_active: true });
    expect((await by(secret).get(PUBLIC)).status).toBe(200);
    await admin.send("DELETE", `/api/users/${id}`);
    expectRefusal(await by(secret).get(PUBLIC), "UNAUTHENTICATED");
  });

  test("health is told whatever the credentials", async () => {
    expect((await by(`eqc_${"0".repeat(28)}`).get("/api/health")).status).toBe(200);
  });
});

describe("the access tokens of others", () => {
  test("are not there for users", async () => {
    const [owner, other] = await Promise.all([accountOf("viewer"), accountOf("editor")]);
    const { id, secret } = await newAccessToken(owner.client);
    expectRefusal(await other.client.send("DELETE", `/api/tokens/${id}`), "NOT_FOUND");
    expectRefusal(await other.client.get(`/api/tokens?user=${owner.id}`), "FORBIDDEN");
    expectRefusal(await owner.client.get(`/api/tokens?user=${owner.id}`), "FORBIDDEN");
    expect((await by(secret).get("/api/catalogues")).status).toBe(200);
  });

  test("are seen and ended by administrators, by a script only with the scope admin", async () => {
    const owner = await accountOf("viewer");
    const { id } = await newAccessToken(owner.client, { name: "Theirs" });
    const { client } = await accountOf("admin");
    const weak = by((await newAccessToken(client, { scopes: ["write"] })).secret);
    const strong = by((await newAccessToken(client, { scopes: ["admin"] })).secret);
    const theirs = `/api/tokens?user=${owner.id}`;
    expectRefusal(await weak.get(theirs), "FORBIDDEN");
    expectRefusal(await weak.send("DELETE", `/api/tokens/${id}`), "NOT_FOUND");
    for (const asked of [client, strong]) {
      expect((await asked.get<Tokens>(theirs)).body.tokens).toMatchObject([{ id, name: "Theirs" }]);
    }
    for (const unknown of ["user_1_none", "%00", "", "%E0%A4%A"]) {
      expectRefusal(await client.get(`/api/tokens?user=${unknown}`), "NOT_FOUND");
    }
    expect((await strong.send("DELETE", `/api/tokens/${id}`)).status).toBe(200);
    expect((await owner.client.get<Tokens>("/api/tokens")).body.tokens).toEqual([]);
  });
});

test("the last use of an access token is told to the minute", async () => {
  const { client } = await accountOf("viewer");
  const { secret } = await newAccessToken(client);
  const lastUse = async () =>
    (await client.get<Tokens>("/api/tokens")).body.tokens.map(({ last_used }) => last_used);
  expect(await lastUse()).toEqual([null]);
  await by(secret).get("/api/catalogues");
  const first = await lastUse();
  expect(Date.parse(first[0] ?? "")).toBeGreaterThan(Date.now() - 60_000);
  await by(secret).get("/api/catalogues");
  expect(await lastUse()).toEqual(first);
});

test("the audit tells of access tokens in words, the log holds neither name nor secret", async () => {
  const { client, id: owner } = await accountOf("viewer");
  const { id, secret } = await newAccessToken(client, { name: "Secretname of a script" });
  await by(secret).get("/api/catalogues");
  await client.send("DELETE", `/api/tokens/${id}`);
  const admin = await service.loginAs("admin");
  type Audit = { events: { type: string; summary: string; actor: string }[] };
  const { body } = await admin.get<Audit>(`/api/audit?subject=user-${owner}&order=desc`);
  const told = JSON.stringify(body);
  expect(told).toContain("Access token made until");
  expect(told).toContain(`Access token ${id} ended`);
  const log = await service.log.text();
  expect(log).toContain("AccessTokenCreated");
  expect(log).not.toContain("Secretname");
  expect(log).not.toContain(secret);
});
