import { randomUUID } from "node:crypto";
import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import type { AccessToken } from "#contracts/http/accounts.ts";
import { basic, newAccessToken } from "../../support/api/access-tokens.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { eventsOfUser } from "../../support/api/log-rows.ts";
import { mergeForm } from "../../support/api/merges.ts";
import { endOf } from "../../support/api/operations.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { giveRight, person, restricted } from "./rights-scene.ts";

const service = sharedService();
const by = (secret: string) => createApiClient(service.url, secret);
const guest = () => createApiClient(service.url);

type Tokens = { tokens: AccessToken[] };

describe("an access token", () => {
  test("is shown with its secret once, and without it from then on", async () => {
    const { client } = await person(service, "editor");
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
    const { client } = await person(service, "viewer");
    const { created_at, expires_at } = await newAccessToken(client);
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(90 * 86_400_000);
  });

  // What schemas say of members, all operations are asked for (hostile/bodies).
  test("needs a name of one line, and scopes within its owner's role", async () => {
    const { client } = await person(service, "viewer");
    const make = (client: ApiClient, form: object) =>
      client.send("POST", "/api/tokens", { name: "A script", scopes: ["read"], ...form });
    expectRefusal(await make(client, { name: "a\nb" }), "VALIDATION_ERROR");
    expectRefusal(await make(client, { name: " " }), "MISSING_NAME");
    expectRefusal(await make(client, { catalogues: [] }), "VALIDATION_ERROR");
    const { client: editor } = await person(service, "editor");
    for (const [by, scope] of [
      [client, "write"],
      [client, "admin"],
      [editor, "admin"],
      [client, "metrics"],
      [editor, "metrics"],
    ] as const) {
      expectRefusal(await make(by, { scopes: ["read", scope] }), "FORBIDDEN", scope);
      expect((await by.get<Tokens>("/api/tokens")).body.tokens).toEqual([]);
    }
  });

  test("is made once under an Idempotency-Key, and its secret not told again", async () => {
    const { client } = await person(service, "viewer");
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
});

describe("by an access token", () => {
  test("as Bearer or as the password of Basic a script speaks for its owner", async () => {
    const { client, id } = await person(service, "editor");
    const { secret } = await newAccessToken(client, { scopes: ["write"] });
    for (const authorization of [`Bearer ${secret}`, basic(secret), basic(secret, "")]) {
      const headers = { authorization };
      const { body } = await guest().get<{ user: { id: string } }>("/api/auth/session", headers);
      expect(body.user.id).toBe(id);
      const form = { name: "By a script", events: [] };
      const made = await guest().send("POST", "/api/catalogues", form, headers);
      expect(made).toMatchObject({ status: 201, body: { created_by: id } });
    }
  });

  test("what the role forbids stays forbidden, whatever its scopes", async () => {
    const { client, id } = await person(service, "editor");
    const { secret } = await newAccessToken(client, { scopes: ["read", "write"] });
    const admin = await service.loginAs("admin");
    await admin.send("PATCH", `/api/users/${id}`, { role: "viewer" });
    const answer = await by(secret).send("POST", "/api/catalogues", { name: "x", events: [] });
    expectRefusal(answer, "FORBIDDEN", "permissions");
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
    const { client } = await person(service, "viewer");
    const { id, secret } = await newAccessToken(client);
    expect((await by(secret).get(PUBLIC)).status).toBe(200);
    expect((await client.send("DELETE", `/api/tokens/${id}`)).body).toEqual({ success: true });
    expectRefusal(await by(secret).get(PUBLIC), "UNAUTHENTICATED", "ended");
    expectRefusal(await client.send("DELETE", `/api/tokens/${id}`), "NOT_FOUND");
    expect((await client.get<Tokens>("/api/tokens")).body.tokens).toEqual([]);
  });

  test("expired", async () => {
    const { client } = await person(service, "viewer");
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
    const { id, client } = await person(service, "viewer");
    const { secret } = await newAccessToken(client);
    await admin.send("PATCH", `/api/users/${id}`, { is_active: false });
    expectRefusal(await by(secret).get(PUBLIC), "UNAUTHENTICATED", "deactivated");
    await admin.send("PATCH", `/api/users/${id}`, { is_active: true });
    expect((await by(secret).get(PUBLIC)).status).toBe(200);
    await admin.send("DELETE", `/api/users/${id}`);
    expectRefusal(await by(secret).get(PUBLIC), "UNAUTHENTICATED");
  });
});

describe("the access tokens of others", () => {
  test("are not there for users", async () => {
    const [owner, other] = await Promise.all([
      person(service, "viewer"),
      person(service, "editor"),
    ]);
    const { id, secret } = await newAccessToken(owner.client);
    expectRefusal(await other.client.send("DELETE", `/api/tokens/${id}`), "NOT_FOUND");
    expectRefusal(await other.client.get(`/api/tokens?user=${owner.id}`), "FORBIDDEN");
    expectRefusal(await owner.client.get(`/api/tokens?user=${owner.id}`), "FORBIDDEN");
    expect((await by(secret).get("/api/catalogues")).status).toBe(200);
  });

  test("are seen and ended by administrators, by a script only with the scope admin", async () => {
    const owner = await person(service, "viewer");
    const { id } = await newAccessToken(owner.client, { name: "Theirs" });
    const { client } = await person(service, "admin");
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
  const { client } = await person(service, "viewer");
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
  const { client, id: owner } = await person(service, "viewer");
  const { id, secret } = await newAccessToken(client, { name: "Secretname of a script" });
  await by(secret).get("/api/catalogues");
  await client.send("DELETE", `/api/tokens/${id}`);
  const admin = await service.loginAs("admin");
  type Audit = { events: { type: string; summary: string; actor: string }[] };
  const { body } = await admin.get<Audit>(`/api/audit?subject=user-${owner}&order=desc`);
  const told = JSON.stringify(body);
  expect(told).toContain("Access token made until");
  expect(told).toContain(`Access token ${id} ended`);
  const log = JSON.stringify(await eventsOfUser(service, owner));
  expect(log).toContain("AccessTokenCreated");
  expect(log).not.toContain("Secretname");
  expect(log).not.toContain(secret);
});

describe("an administrator's access token that is not for administering", () => {
  test("finds a restricted catalogue where its owner is a member alone", async () => {
    const { id: administrator, client: admin } = await person(service, "admin");
    const name = `hidden ${randomUUID()}`;
    const owner = await service.loginAs("editor");
    const { id } = await restricted(owner, { name });
    const source = await createCatalogue(owner, { access: "public" });
    const form = mergeForm([id, source.id].map((one) => ({ id: one, source: name })));
    type Merged = { catalogueId: string };
    const made = { ...form, access: "public" };
    const { body } = await owner.send<Merged>("POST", "/api/merge", made);
    const scripts = await Promise.all(
      ["read", "write"].map((scope) => newAccessToken(admin, { scopes: [scope] })),
    );
    const shown = (script: ApiClient) =>
      Promise.all([
        script.get(`/api/catalogues?search=${encodeURIComponent(name)}`),
        script.get(`/api/catalogues/${id}/events`),
        script.get(`/api/catalogues/${body.catalogueId}`),
      ]);
    const expectShown = async (total: number, status: number) => {
      for (const { secret } of scripts) {
        const [listed, read, merged] = await shown(by(secret));
        expect([listed.body, read.status]).toMatchObject([{ total }, status]);
        expect(JSON.stringify(merged.body).includes(id)).toBe(total > 0);
      }
    };
    await expectShown(0, 404);
    await giveRight(owner, id, administrator, "read");
    await expectShown(1, 200);
  });

  test("gives nobody rights, and is told the right of an editor", async () => {
    const { client } = await person(service, "admin");
    const script = by((await newAccessToken(client, { scopes: ["write"] })).secret);
    const { id } = await createCatalogue(await service.loginAs("editor"));
    const { id: viewer } = await newAccount(service, "viewer");
    const path = `/api/catalogues/${id}`;
    expectRefusal(
      await script.send("PUT", `${path}/members/${viewer}`, { right: "own" }),
      "FORBIDDEN",
    );
    expectRefusal(await script.send("PATCH", path, { editing: "members" }), "FORBIDDEN");
    expectRefusal(await script.send("PATCH", path, { access: "restricted" }), "FORBIDDEN");
    expect((await script.get(`${path}/right`)).body).toEqual({ right: "edit" });
    expect((await script.send("PATCH", path, { name: "Another" })).status).toBe(200);
  });
});

const within = { timeThreshold: 1, distanceThreshold: 1 };
const KINDS = ["public", "internal", "restricted"] as const;
type Kind = (typeof KINDS)[number];

let owner: ApiClient;
let script: ApiClient;
let secret: string;
/** That the token is for, and that it is not for; its owner may change all of them. */
const listed = {} as Record<Kind, string>;
const others = {} as Record<Kind, string>;

beforeAll(async () => {
  owner = (await person(service, "editor")).client;
  for (const access of KINDS) {
    listed[access] = (await restricted(owner, { access, name: `Listed ${access}` })).id;
    others[access] = (await restricted(owner, { access, name: `Other ${access}` })).id;
  }
  const form = { scopes: ["write"], catalogues: Object.values(listed) };
  const token = await newAccessToken(owner, form);
  expect(token.catalogues?.toSorted()).toEqual(Object.values(listed).toSorted());
  ({ secret } = token);
  script = createApiClient(service.url, secret);
});

describe("an access token for some catalogues", () => {
  test("reads and changes those alone, and knows of no other", async () => {
    const reads = ["", "/events", "/versions", "/export?format=csv", "/fdsnws/event/1/count"];
    for (const kind of KINDS) {
      for (const below of reads) {
        const [there, notThere, nowhere] = await Promise.all(
          [listed[kind], others[kind], randomUUID()].map((id) =>
            script.get(`/api/catalogues/${id}${below}`),
          ),
        );
        expect([there?.status, notThere?.status], below).toEqual([200, 404]);
        if (!below.includes("fdsnws")) expect(notThere?.body).toEqual(nowhere?.body);
      }
      const add = (id: string) =>
        script.send("POST", `/api/catalogues/${id}/events`, { events: [seismicEvent()] });
      expect((await add(listed[kind])).status, kind).toBe(200);
      expectRefusal(await add(others[kind]), "NOT_FOUND");
    }
  });

  test("lists and finds those alone", async () => {
    type List = { catalogues: { id: string }[]; total: number };
    for (const query of ["", "?search=listed", "?search=other"]) {
      const { body } = await script.get<List>(`/api/catalogues${query}`);
      const expected = query.endsWith("other") ? [] : Object.values(listed).toSorted();
      expect(body.catalogues.map(({ id }) => id).toSorted(), query).toEqual(expected);
    }
  });

  test("is told what no shared cache may keep, where guests are told more", async () => {
    const guest = createApiClient(service.url);
    for (const address of ["/api/ogc/collections", "/fdsnws/event/1/catalogs"]) {
      const [all, some] = [await guest.get(address), await script.get(address)];
      expect(all.headers.get("cache-control"), address).toBe("public, no-cache");
      expect(some.headers.get("cache-control"), address).toBe("private, no-cache");
      expect(some.body).not.toEqual(all.body);
    }
  });
});

test("an access token is made for catalogues that are there for its owner alone", async () => {
  const { client, id } = await person(service, "editor");
  const make = (catalogue: string) =>
    client.send("POST", "/api/tokens", { name: "x", scopes: ["read"], catalogues: [catalogue] });
  for (const catalogue of [randomUUID(), listed.restricted]) {
    expectRefusal(await make(catalogue), "VALIDATION_ERROR", `no catalogue ${catalogue}`);
  }
  expect((await make(listed.internal)).status).toBe(201);
  expect(await giveRight(owner, listed.restricted, id, "read")).toBe(200);
  expect((await make(listed.restricted)).status).toBe(201);
});

test("a lost right is lost for the owner's tokens at once", async () => {
  const { client, id } = await person(service, "viewer");
  const catalogue = await restricted(owner);
  await giveRight(owner, catalogue.id, id, "read");
  const events = `/api/catalogues/${catalogue.id}/events`;
  const limited = await newAccessToken(client, { catalogues: [catalogue.id] });
  const whole = await newAccessToken(client);
  const statuses = () =>
    Promise.all(
      [limited, whole].map(
        async (token) => (await createApiClient(service.url, token.secret).get(events)).status,
      ),
    );
  expect(await statuses()).toEqual([200, 200]);
  await owner.send("DELETE", `/api/catalogues/${catalogue.id}/members/${id}`);
  expect(await statuses()).toEqual([404, 404]);
});

test("an access token for some catalogues lists operations that are about them alone", async () => {
  type Listed = { operations: { id: string }[] };
  const { client } = await person(service, "admin");
  const { id } = await createCatalogue(client);
  const later = { prefer: "respond-async" };
  const started = async (by: ApiClient, path: string, body: unknown) => {
    const answer = await by.send<{ operationId: string }>("POST", path, body, later);
    return (await endOf(by, answer.body.operationId)).id;
  };
  const about = await started(client, "/api/compare", { ...within, a: id, b: listed.public });
  const { id: another } = await createCatalogue(owner);
  const events = [1, 2].map(() => ({ catalogue_id: randomUUID(), event_id: randomUUID() }));
  const failed = await started(owner, "/api/merge", {
    name: "Merged",
    sourceCatalogues: [listed.public, another].map((one) => ({ id: one, source: "x" })),
    // Of events that no source has.
    config: { ...within, mergeStrategy: "quality", decisions: [{ type: "same", events }] },
  });
  const tokenFor = async (catalogues: readonly string[] | null, scope = "admin") => {
    const { secret } = await newAccessToken(client, { scopes: [scope], catalogues });
    return createApiClient(service.url, secret);
  };
  const listOf = async (...asked: Parameters<typeof tokenFor>) => {
    const { body } = await (await tokenFor(...asked)).get<Listed>("/api/operations");
    return body.operations.map((one) => one.id);
  };
  expect(await listOf(null)).toEqual(expect.arrayContaining([about, failed]));
  expect(await listOf([id, listed.public])).toEqual([about]);
  expect(await listOf([id])).toEqual([]);
  expect(await listOf([id, listed.public], "read")).toEqual([about]);
  expect(await listOf(null, "read")).not.toContain(failed);
  const found = async (...asked: Parameters<typeof tokenFor>) => {
    const token = await tokenFor(...asked);
    const get = async (one: string) => (await token.get(`/api/operations/${one}`)).status;
    return [await get(about), await get(failed)];
  };
  expect(await found(null)).toEqual([200, 200]);
  expect(await found([id, listed.public])).toEqual([200, 404]);
  expect(await found([id])).toEqual([404, 404]);
  expect(await found(null, "read")).toEqual([200, 404]);
});
