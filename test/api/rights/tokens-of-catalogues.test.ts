import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { newAccessToken } from "../../support/api/access-tokens.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { endOf } from "../../support/api/operations.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { followEvents } from "../../support/feed-client.ts";
import { useService } from "../../support/service.ts";
import { giveRight, person, restricted } from "./rights-scene.ts";

const service = useService();
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
  test.each(KINDS)("reads and changes the %s one of them, and knows of no other", async (kind) => {
    for (const below of [
      "",
      "/events",
      "/versions",
      "/export?format=csv",
      "/fdsnws/event/1/count",
    ]) {
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
    expect((await add(listed[kind])).status).toBe(200);
    expectRefusal(await add(others[kind]), "NOT_FOUND");
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

  test("makes no catalogues and merges none", async () => {
    const form = { name: "Another", events: [] };
    expectRefusal(
      await script.send("POST", "/api/catalogues", form),
      "FORBIDDEN",
      "some catalogues",
    );
    const sourceCatalogues = [listed.public, listed.internal].map((id) => ({ id, name: "x" }));
    const config = { timeThreshold: 30, distanceThreshold: 50, mergeStrategy: "quality" };
    const merge = { name: "Merged", sourceCatalogues, config: { ...config, priority: "quality" } };
    expectRefusal(await script.send("POST", "/api/merge", merge), "FORBIDDEN", "some catalogues");
  });

  test("follows those alone", async () => {
    const feed = (id: string) => `${service.url}/api/catalogues/${id}/feed`;
    const stream = await followEvents(feed(listed.restricted), { token: secret });
    stream.close();
    await expect(followEvents(feed(others.public), { token: secret })).rejects.toThrow("404");
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
  const failed = await started(owner, "/api/merge", {
    name: "Merged",
    sourceCatalogues: [listed.public, randomUUID()].map((one) => ({ id: one, source: "x" })),
    config: { ...within, mergeStrategy: "quality" },
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

test("an administrator's access token for some catalogues reads no others", async () => {
  const { client } = await person(service, "admin");
  const own = await createCatalogue(client);
  const form = { scopes: ["admin"], catalogues: [own.id] };
  const { secret: weak } = await newAccessToken(client, form);
  const admin = createApiClient(service.url, weak);
  expect((await admin.get(`/api/catalogues/${own.id}`)).status).toBe(200);
  for (const id of Object.values(others)) {
    expectRefusal(await admin.get(`/api/catalogues/${id}/events`), "NOT_FOUND");
  }
});
