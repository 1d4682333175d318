import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import type { ApiAnswer, ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { giveRight, newGroup, type Person, person, restricted } from "./rights-scene.ts";

const service = sharedService();
let owner: Person;
let other: Person;
let viewer: Person;
let admin: ApiClient;
let guest: ApiClient;
beforeAll(async () => {
  owner = await person(service, "editor");
  other = await person(service, "editor");
  viewer = await person(service, "viewer");
  admin = await service.loginAs("admin");
  guest = await service.loginAs("guest");
});

const READS = [
  "",
  "/versions",
  "/versions/1",
  "/versions/1/citation",
  "/versions/1/diff",
  "/events",
  "/events?asOf=1",
  "/events?cursor=nonsense",
  "/events/filtered",
  "/events/columns?columns=magnitude",
  "/export",
  "/export?format=nonsense",
  "/right",
  "/shares",
  "/members",
  "/feed?control=true",
  "/feed/v1.0/summary/all_day.geojson",
  "/analytics/summary",
  "/analytics/rates.svg",
  "/fdsnws/event/1/query",
  "/fdsnws/event/1/version",
  "/versions/1/fdsnws/event/1/query",
] as const;

/** An answer without what names the request: the id that was asked for, and the request's own id. */
function told({ status, headers, body }: ApiAnswer, id: string) {
  const text = JSON.stringify(body).replaceAll(id, "<id>");
  const { "x-request-id": _, date: __, ...rest } = Object.fromEntries(headers);
  const shown = Object.entries(rest)
    .filter(([name]) => !name.startsWith("x-ratelimit"))
    .map(([name, value]) => [name, value.replaceAll(/nonce="[^"]*"/g, "")]);
  return { status, body: text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, "<now>"), headers: shown };
}

describe("to whoever is no member a restricted catalogue", () => {
  test("answers a change with a key, sent again, as an id does that nobody has", async () => {
    const there = (await restricted(owner.client)).id;
    for (const [method, path] of [
      ["PATCH", ""],
      ["POST", "/events"],
      ["DELETE", ""],
      ["POST", "/shares"],
    ] as const) {
      const body = path === "/events" ? { events: [] } : { name: "x" };
      const answers = async (catalogue: string) => {
        const headers = { "idempotency-key": randomUUID() };
        const address = `/api/catalogues/${catalogue}${path}`;
        const first = await other.client.send(method, address, body, headers);
        const again = await other.client.send(method, address, body, headers);
        return [told(first, catalogue), told(again, catalogue)];
      };
      const told404 = await answers(randomUUID());
      expect(told404.map(({ status }) => status)).toEqual([404, 404]);
      expect(await answers(there), `${method} ${path}`).toEqual(told404);
    }
  });

  test("answers every read as an id does that nobody has", async () => {
    const { id } = await restricted(owner.client);
    const unknown = randomUUID();
    for (const path of READS) {
      for (const client of [other.client, viewer.client, guest]) {
        const answer = await client.get(`/api/catalogues/${id}${path}`);
        const expected = await client.get(`/api/catalogues/${unknown}${path}`);
        expect(told(answer, id), path).toEqual(told(expected, unknown));
        expect([401, 403, 404], path).toContain(answer.status);
      }
    }
  });

  test("can be changed as little as one that is not there", async () => {
    const { id } = await restricted(owner.client);
    const unknown = randomUUID();
    const writes = [
      ["PATCH", "", { name: "mine" }],
      ["PATCH", "", { access: "nonsense" }],
      ["DELETE", "", undefined],
      ["POST", "/events", { events: [] }],
      ["POST", "/shares", {}],
      ["PUT", `/members/${other.id}`, { right: "own" }],
      ["DELETE", `/members/${owner.id}`, undefined],
      ["POST", "/versions/1/restore", undefined],
      ["POST", "/analytics/decluster", { method: "gardner-knopoff" }],
    ] as const;
    for (const [method, path, body] of writes) {
      const answer = await other.client.send(method, `/api/catalogues/${id}${path}`, body);
      const expected = await other.client.send(method, `/api/catalogues/${unknown}${path}`, body);
      expect(told(answer, id)).toEqual(told(expected, unknown));
      expect(answer.status).toBe(404);
    }
  });

  test("is in no list and no count, whatever is searched for", async () => {
    const name = `hidden ${randomUUID()}`;
    const { id } = await restricted(owner.client, { name });
    type List = { catalogues: Catalogue[]; total: number };
    const listed = async (client: ApiClient) =>
      (await client.get<List>(`/api/catalogues?search=${encodeURIComponent(name)}`)).body;
    for (const client of [other.client, viewer.client, guest]) {
      expect(await listed(client)).toMatchObject({ catalogues: [], total: 0 });
    }
    for (const client of [owner.client, admin]) {
      const { catalogues, total } = await listed(client);
      expect(total).toBe(1);
      expect(catalogues).toMatchObject([{ id, access: "restricted", is_public: false }]);
    }
  });

  test("is not there for merges, previews, comparisons, imports and feeds", async () => {
    const { id } = await restricted(owner.client);
    const mine = (await createCatalogue(other.client)).id;
    const asks = (wanted: string) =>
      [
        ["POST", "/api/merge", mergeOf(mine, wanted)],
        ["POST", "/api/merge/preview", mergeOf(mine, wanted)],
        ["POST", "/api/compare", { a: mine, b: wanted, timeThreshold: 10, distanceThreshold: 50 }],
        ["POST", "/api/import/agency", { catalogueId: wanted, hours: 1 }],
      ] as const;
    const unknown = randomUUID();
    for (const [i, [method, path, body]] of asks(id).entries()) {
      const answer = await other.client.send(method, path, body);
      const expected = await other.client.send(method, path, asks(unknown)[i]?.[2]);
      expect(told(answer, id)).toEqual(told(expected, unknown));
      expect(answer.status).toBe(404);
    }
    for (const path of ["/api/feed?catalogue=", "/api/import/history?catalogueId="]) {
      const answer = await other.client.get(`${path}${id}`);
      expect(told(answer, id)).toEqual(told(await other.client.get(`${path}${unknown}`), unknown));
    }
    expect((await guest.get(`/fdsnws/event/1/query?catalog=${id}`)).status).toBe(
      (await guest.get(`/fdsnws/event/1/query?catalog=${unknown}`)).status,
    );
  });
});

function mergeOf(...ids: readonly string[]) {
  const config = { timeThreshold: 5, distanceThreshold: 20, mergeStrategy: "quality" };
  return { name: "merged", sourceCatalogues: ids.map((id) => ({ id, source: "" })), config };
}

describe("a member", () => {
  test("reads with any right", async () => {
    const { id } = await restricted(owner.client);
    for (const member of [other, viewer]) {
      expect(await giveRight(owner.client, id, member.id, "read")).toBe(200);
      expect((await member.client.get(`/api/catalogues/${id}/events`)).status).toBe(200);
    }
  });

  test.each([
    { access: "internal", editing: "members" },
    { access: "public", editing: "members" },
    { access: "restricted", editing: "all" },
  ] as const)(
    "changes one that is $access, for $editing, only with the right to, and the role",
    async (form) => {
      const { id } = await createCatalogue(owner.client, form);
      const path = `/api/catalogues/${id}`;
      const changes = async (client: ApiClient) =>
        (await client.send("PATCH", path, { name: randomUUID() })).status;
      const isHidden = form.access === "restricted";
      expect(await changes(other.client)).toBe(isHidden ? 404 : 403);
      expect((await other.client.get(`${path}/events`)).status).toBe(isHidden ? 404 : 200);
      await giveRight(owner.client, id, other.id, "read");
      expect(await changes(other.client)).toBe(403);
      await giveRight(owner.client, id, other.id, "edit");
      expect(await changes(other.client)).toBe(200);
      await giveRight(owner.client, id, viewer.id, "edit");
      expect(await changes(viewer.client)).toBe(403);
      expect(await changes(admin)).toBe(200);
    },
  );

  test("is told the right that the role leaves", async () => {
    const { id } = await restricted(owner.client);
    await giveRight(owner.client, id, viewer.id, "own");
    const rightOf = async (client: ApiClient) =>
      (await client.get<{ right: string }>(`/api/catalogues/${id}/right`)).body.right;
    expect(await rightOf(owner.client)).toBe("own");
    expect(await rightOf(viewer.client)).toBe("read");
    expect(await rightOf(admin)).toBe("own");
  });

  test("may be a group, whose users come and go with it", async () => {
    const { id } = await restricted(owner.client);
    const path = `/api/catalogues/${id}/events`;
    const group = await newGroup(admin, [viewer.id]);
    await giveRight(owner.client, id, group, "read");
    expect((await viewer.client.get(path)).status).toBe(200);
    await admin.send("PATCH", `/api/groups/${group}`, { members: [] });
    expect((await viewer.client.get(path)).status).toBe(404);
    await admin.send("PATCH", `/api/groups/${group}`, { members: [viewer.id] });
    expect((await viewer.client.get(path)).status).toBe(200);
    await admin.send("DELETE", `/api/groups/${group}`);
    expect((await viewer.client.get(path)).status).toBe(404);
  });
});

describe("who may read", () => {
  test("is said at creation and changed by owners and administrators", async () => {
    const { id, access, is_public } = await createCatalogue(owner.client);
    expect({ access, is_public }).toEqual({ access: "internal", is_public: false });
    const path = `/api/catalogues/${id}`;
    expect((await other.client.send("PATCH", path, { access: "restricted" })).status).toBe(403);
    expect((await owner.client.send("PATCH", path, { access: "restricted" })).status).toBe(200);
    expect((await other.client.get(path)).status).toBe(404);
    await owner.client.send("PATCH", path, { is_public: false });
    expect((await owner.client.get<Catalogue>(path)).body.access).toBe("restricted");
    await giveRight(owner.client, id, other.id, "edit");
    expect((await other.client.send("PATCH", path, { is_public: true })).status).toBe(403);
    expect((await admin.send("PATCH", path, { access: "public" })).status).toBe(200);
    expect((await guest.get<Catalogue>(path)).body).toMatchObject({
      access: "public",
      is_public: true,
      public_from: 1,
    });
  });

  test("cannot be said in contradiction", async () => {
    const { id } = await createCatalogue(owner.client);
    for (const body of [
      { is_public: true, access: "internal" },
      { is_public: false, access: "public" },
    ]) {
      const made = { name: "x", events: [], ...body };
      expect((await owner.client.send("POST", "/api/catalogues", made)).status).toBe(400);
      expect((await owner.client.send("PATCH", `/api/catalogues/${id}`, body)).status).toBe(400);
    }
  });

  test("is still whoever has the address of a share", async () => {
    const { id } = await restricted(owner.client);
    type Shared = { share: { url: string } };
    const path = `/api/catalogues/${id}/shares`;
    const { body } = await owner.client.send<Shared>("POST", path, {});
    const { pathname } = new URL(body.share.url);
    expect((await guest.get(`${pathname}/events`)).status).toBe(200);
    expect((await guest.get(`${pathname}/fdsnws/event/1/query`)).status).toBe(200);
  });
});
