import { beforeAll, describe, expect, test } from "vitest";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { administrator, newAccount } from "../../support/api/accounts.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { rawGet } from "../../support/api/raw-request.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import type { ApiAnswer, ApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";

const PARTNER = "https://partner.example.org";
const service = useService({ CORS_ORIGINS: PARTNER });
const viewer = service.client("viewer");
const guest = service.client("guest");
let ofPrivate: string;
let ofPublic: string;
let eventPath: Record<string, string>;

/** A catalogue of two versions; a public one is so from the second on. */
async function twoVersions(isPublic: boolean): Promise<string> {
  const editor = await service.loginAs("editor");
  const { id } = await createCatalogue(editor);
  const path = `/api/catalogues/${id}`;
  await editor.send("POST", `${path}/events`, { events: [seismicEvent({ source_id: "later" })] });
  if (isPublic) await editor.send("PATCH", path, { is_public: true });
  return path;
}

beforeAll(async () => {
  ofPrivate = await twoVersions(false);
  ofPublic = await twoVersions(true);
  const eventOf = async (path: string) => {
    const { body } = await viewer.get<{ events: SeismicEvent[] }>(`${path}/events?asOf=1`);
    return `${path}/events/${body.events[0]?.id}`;
  };
  eventPath = { [ofPrivate]: await eventOf(ofPrivate), [ofPublic]: await eventOf(ofPublic) };
});

const readsOf = (path: string) => [
  path,
  `${path}/versions`,
  `${path}/events`,
  `${path}/events?offset=0`,
  `${path}/events?pagination=cursor`,
  `${path}/events/filtered`,
  `${path}/events/filtered?asOf=2`,
  `${path}/events/columns`,
  eventPath[path] ?? "",
  `${eventPath[path]}/history`,
];

/** Reads that tell signed-in callers who made what they show. */
const namesPeople = (path: string) => [path, `${path}/versions`, `${eventPath[path]}/history`];

const headersOf = ({ headers }: ApiAnswer, ...names: string[]) =>
  names.map((name) => headers.get(name));

/** Expects the answer to be kept as said, and to be known again by its entity tag. */
async function expectKept(client: ApiClient, path: string, caching: string): Promise<void> {
  const answer = await client.get(path);
  expect([path, answer.status, ...headersOf(answer, "cache-control")]).toEqual([
    path,
    200,
    caching,
  ]);
  const takesTime = /\/(?:events|export)/.test(path) && !path.endsWith("/history");
  const vary = answer.headers.get("vary") ?? "";
  expect(vary).toMatch(/Cookie, Authorization, accept-encoding(?:, accept-datetime)?$/);
  expect([path, vary.endsWith("accept-datetime")]).toEqual([path, takesTime]);
  const tag = answer.headers.get("etag") ?? "";
  const again = await client.get(path, { "if-none-match": tag });
  expect(again).toMatchObject({ status: 304, body: "" });
  const same = ["cache-control", "etag", "vary"];
  expect(headersOf(again, ...same)).toEqual(headersOf(answer, ...same));
}

describe("a read of", () => {
  test("a private catalogue is kept by its reader alone, and asked for again", async () => {
    for (const path of readsOf(ofPrivate)) await expectKept(viewer, path, "private, no-cache");
    await expectKept(guest, ofPrivate, "private, no-cache");
  });

  test("a public catalogue is kept by anybody, and asked for again", async () => {
    for (const path of readsOf(ofPublic)) {
      await expectKept(guest, path, "public, no-cache");
      const isOfReader = namesPeople(ofPublic).includes(path);
      await expectKept(viewer, path, isOfReader ? "private, no-cache" : "public, no-cache");
    }
  });

  test("a version's record is kept by anybody as guests see it, with who made it by its reader alone", async () => {
    const path = `${ofPublic}/versions/2`;
    await expectKept(guest, path, "public, max-age=3600");
    await expectKept(viewer, path, "private, no-cache");
    await expectKept(viewer, `${path}/citation`, "public, max-age=3600");
  });

  test("a version from before the publication is kept by its reader alone", async () => {
    for (const path of ["/events", "/events?offset=0", "/events/filtered", "/events/columns"]) {
      const as = `${path}${path.includes("?") ? "&" : "?"}asOf=1`;
      await expectKept(viewer, `${ofPublic}${as}`, "private, no-cache");
    }
    await expectKept(viewer, `${eventPath[ofPublic]}?asOf=1`, "private, no-cache");
  });

  test("a file is kept by its reader alone", async () => {
    for (const path of [ofPrivate, ofPublic]) {
      await expectKept(viewer, `${path}/export`, "private, no-cache");
    }
  });

  test("the list is kept by anybody as guests see it, by its reader alone as others do", async () => {
    const asGuest = await guest.get("/api/catalogues");
    expect(headersOf(asGuest, "cache-control")).toEqual(["public, no-cache"]);
    const asViewer = await viewer.get("/api/catalogues");
    expect(headersOf(asViewer, "cache-control")).toEqual(["private, no-cache"]);
    for (const answer of [asGuest, asViewer]) {
      expect(answer.headers.get("vary")).toMatch(/Cookie, Authorization, accept-encoding$/);
    }
  });
});

test("Vary names everything that an answer depends on", async () => {
  const answer = await viewer.get(`${ofPublic}/export`, { origin: PARTNER });
  const names = (answer.headers.get("vary") ?? "").split(", ").sort();
  const further = ["accept-datetime", "accept-encoding"];
  expect(names).toEqual(["Accept", "Authorization", "Cookie", "Origin", ...further]);
});

describe("nobody keeps", () => {
  test("what is not HTTP as it is read", async () => {
    const answer = await rawGet(service.url, "/api/catalogues", { "x-long": "x".repeat(100_000) });
    expect([answer.status, answer.headers["cache-control"]]).toEqual([431, "no-store"]);
  });
});

/** More than the lists have at the beginning. */
const MEMBERS = 5;

type Answer = { readonly nextCursor?: string } & Readonly<Record<string, unknown[]>>;
type LongList = {
  readonly path: string;
  readonly member: string;
  readonly client: ApiClient;
  /** Makes one more member, which comes first. */
  readonly add: () => Promise<unknown>;
};

const lists: Record<string, LongList> = {};
const listOf = (name: string): LongList => {
  const list = lists[name];
  if (list === undefined) throw new Error(name);
  return list;
};

beforeAll(async () => {
  const admin = await administrator(service);
  const editor = await service.loginAs("editor");
  const { id } = await createCatalogue(editor);
  const catalogue = `/api/catalogues/${id}`;
  lists["versions"] = {
    path: `${catalogue}/versions`,
    member: "versions",
    client: editor,
    add: () => editor.send("POST", `${catalogue}/events`, { events: [seismicEvent()] }),
  };
  lists["users"] = {
    path: "/api/users",
    member: "users",
    client: admin,
    add: () => newAccount(service, "viewer"),
  };
  lists["role requests"] = {
    path: "/api/role-requests",
    member: "requests",
    client: admin,
    add: async () => {
      const { client } = await (await newAccount(service, "viewer")).signIn();
      const justification = "I review the network's catalogue.";
      await client.send("POST", "/api/role-requests", { requestedRole: "editor", justification });
    },
  };
  for (const { add } of Object.values(lists)) {
    for (let i = 0; i < MEMBERS; i += 1) await add();
  }
});

test("a long list is read to its end in parts, without one that comes meanwhile", async () => {
  for (const { path, member, client, add } of Object.values(lists)) {
    const whole = (await client.get<Answer>(path)).body;
    expect(whole).not.toHaveProperty("nextCursor");
    const parts: unknown[] = [];
    let cursor = "";
    do {
      const { status, body } = await client.get<Answer>(`${path}?limit=2${cursor}`);
      expect([member, status, body[member]?.length]).toEqual([
        member,
        200,
        body.nextCursor ? 2 : expect.any(Number),
      ]);
      parts.push(...(body[member] ?? []));
      if (cursor === "") await add();
      cursor = body.nextCursor === undefined ? "end" : `&cursor=${body.nextCursor}`;
    } while (cursor !== "end");
    expect(parts).toEqual(whole[member]);
    expect(parts.length).toBeGreaterThanOrEqual(MEMBERS);
  }
});

test("a long list refuses limits out of bounds and cursors of others", async () => {
  for (const { path, client } of Object.values(lists)) {
    for (const limit of ["0", "1001", "x"]) {
      expectRefusal(await client.get(`${path}?limit=${limit}`), "VALIDATION_ERROR", "limit");
    }
    for (const other of Object.values(lists)) {
      const { nextCursor } = (await other.client.get<Answer>(`${other.path}?limit=1`)).body;
      const answer = await client.get(`${path}?cursor=${nextCursor}`);
      if (other.path === path) expect(answer.status, path).toBe(200);
      else expectRefusal(answer, "INVALID_CURSOR");
    }
    expectRefusal(await client.get(`${path}?cursor=abc`), "INVALID_CURSOR");
  }
});

test("a long time map leads from each part to the one before", async () => {
  const { path, client } = listOf("versions");
  const asMap = async (address: string) => {
    const { body } = await client.get<string>(address, { accept: "application/link-format" });
    const links = body.trimEnd().split(",\n");
    const target = (rel: string) => /<([^>]+)>/.exec(links.find((l) => l.includes(rel)) ?? "")?.[1];
    return { self: target('rel="self"'), before: target('rel="timemap"'), body };
  };
  const { body, self } = await asMap(`${path}?limit=3`);
  expect(self).toMatch(/\/versions$/);
  expect(body).toContain('rel="last memento"');
  expect(body).not.toContain("first");
  const { before } = await asMap(`${path}?limit=3`);
  const older = new URL(before ?? "");
  const rest = await asMap(`${older.pathname}${older.search}`);
  expect(rest.self).toBe(before);
  expect(rest.before).toBeUndefined();
  expect(rest.body).toContain('rel="first memento"');
  expect(rest.body).not.toContain("last");
});

const EVENT = { time: "2020-01-01T00:00:00Z", latitude: -41, longitude: 174, magnitude: 4 };

test("a misspelt attribute of a patch is kept in extra, and the answer says which is meant; without one it has no warnings", async () => {
  const editor = await service.loginAs("editor");
  const { id, eventId } = await oneEvent(editor);
  const { body } = await editor.send("PATCH", `/api/catalogues/${id}/events/${eventId}`, {
    dept: 7.3,
    magnitude: 5,
  });
  expect(body).toMatchObject({
    event: { magnitude: 5, extra: { dept: 7.3 } },
    warnings: [
      {
        path: "dept",
        message: "is no attribute of events and is kept in extra; do you mean depth?",
      },
    ],
  });
  const path = `/api/catalogues/${id}/events/${eventId}`;
  expect((await editor.send("PATCH", path, { depth: 7 })).body).not.toHaveProperty("warnings");
});

test("unknown members beside submitted events are named, those of the events not", async () => {
  const editor = await service.loginAs("editor");
  const created = await editor.send<{ id: string }>("POST", "/api/catalogues", {
    name: "warned",
    is_pubic: true,
    events: [{ ...EVENT, dept: 3 }],
  });
  expect(created).toMatchObject({
    status: 201,
    body: { warnings: [{ path: "is_pubic", message: expect.stringContaining("is_public") }] },
  });
  const added = await editor.send("POST", `/api/catalogues/${created.body.id}/events`, {
    events: [],
    updateExistng: true,
  });
  expect(added).toMatchObject({
    status: 200,
    body: { warnings: [{ path: "updateExistng" }] },
  });
});

test("a repeated request with a key is answered with the same warnings", async () => {
  const editor = await service.loginAs("editor");
  const { id } = await createCatalogue(editor);
  const rename = () =>
    editor.send(
      "PATCH",
      `/api/catalogues/${id}`,
      { name: "x", nmae: "y" },
      { "idempotency-key": id },
    );
  const first = await rename();
  expect(first.body).toEqual({
    success: true,
    warnings: [{ path: "nmae", message: "is not known and has no effect; do you mean name?" }],
  });
  expect((await rename()).body).toEqual(first.body);
});

test("a merge names what it prefers and no source has", async () => {
  const editor = await service.loginAs("editor");
  const [a, b] = [await createCatalogue(editor), await createCatalogue(editor)];
  const body = {
    name: "merged",
    sourceCatalogues: [
      { id: a.id, name: "not looked at", events: 3, source: "GeoNet" },
      { id: b.id, source: "ISC" },
    ],
    config: {
      timeThreshold: 5,
      distanceThreshold: 20,
      mergeStrategy: "priority",
      priority: "Geonett",
      prefer: { magnitude: ["nobody", "source:isc", "source:none"] },
      linkages: "nearest",
    },
  };
  const warnings = [
    { path: "config.linkages", message: expect.stringContaining("linkage?") },
    { path: "config.priority", message: "no source has the label Geonett" },
    { path: "config.prefer.magnitude.0", message: "no event of the sources is of agency nobody" },
    { path: "config.prefer.magnitude.2", message: "no source has the label none" },
  ];
  expect(await editor.send("POST", "/api/merge/preview", body)).toMatchObject({
    status: 200,
    body: { warnings },
  });
  expect(await editor.send("POST", "/api/merge", body)).toMatchObject({
    status: 200,
    body: { warnings },
  });
});

type Client = Awaited<ReturnType<typeof service.loginAs>>;

async function oneEvent(editor: Client): Promise<{ id: string; eventId: string }> {
  const { id } = (
    await editor.send<{ id: string }>("POST", "/api/catalogues", { name: "one", events: [EVENT] })
  ).body;
  const { body } = await editor.get<{ events: { id: string }[] }>(`/api/catalogues/${id}/events`);
  return { id, eventId: body.events[0]?.id ?? "" };
}
