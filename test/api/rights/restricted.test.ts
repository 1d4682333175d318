import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import { addressesOf, catalogueActOf, type Operation } from "#contracts/http/operation.ts";
import { operations } from "#contracts/http/table/operations.ts";
import { newAccessToken } from "../../support/api/access-tokens.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { MATRIX, type Row, type Subjects } from "../../support/api/matrix.ts";
import { newSchedule } from "../../support/api/schedules.ts";
import { call, newSubjects, spends } from "../../support/api/subjects.ts";
import { type ApiAnswer, type ApiClient, createApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { tryUpgrade } from "../../support/try-upgrade.ts";
import { giveRight, newGroup, type Person, person, restricted } from "./rights-scene.ts";

const service = sharedService();
let owner: Person;
let other: Person;
let viewer: Person;
const admin = service.client("admin");
const guest = service.client("guest");
beforeAll(async () => {
  owner = await person(service, "editor");
  other = await person(service, "editor");
  viewer = await person(service, "viewer");
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
});

describe("a member", () => {
  test("changes one that is not for everybody only with the right to, and the role", async () => {
    for (const form of [
      { access: "internal", editing: "members" },
      { access: "public", editing: "members" },
      { access: "restricted", editing: "all" },
    ] as const) {
      const { id } = await createCatalogue(owner.client, form);
      const path = `/api/catalogues/${id}`;
      const changes = async (client: ApiClient) =>
        (await client.send("PATCH", path, { name: randomUUID() })).status;
      const isHidden = form.access === "restricted";
      expect(await changes(other.client), form.access).toBe(isHidden ? 404 : 403);
      expect((await other.client.get(`${path}/events`)).status).toBe(isHidden ? 404 : 200);
      await giveRight(owner.client, id, other.id, "read");
      expect(await changes(other.client), form.access).toBe(403);
      await giveRight(owner.client, id, other.id, "edit");
      expect(await changes(other.client), form.access).toBe(200);
      await giveRight(owner.client, id, viewer.id, "edit");
      expect(await changes(viewer.client), form.access).toBe(403);
      expect(await changes(admin), form.access).toBe(200);
    }
  });

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
});

describe("the catalogues that a request names:", () => {
  let stranger: ApiClient;
  let session: string;
  /** An administrator's token for one other catalogue. */
  let confined: ApiClient;
  beforeAll(async () => {
    ({ client: stranger, token: session } = await (await newAccount(service, "editor")).signIn());
    const { client } = await person(service, "admin");
    const { id } = await createCatalogue(owner.client);
    const { secret } = await newAccessToken(client, { scopes: ["admin"], catalogues: [id] });
    confined = createApiClient(service.url, secret);
  });

  const all: readonly Operation[] = Object.values(operations);

  const naming = all.flatMap(({ id, names = {} }) =>
    Object.keys(names).map((path) => [id as keyof typeof operations, path] as const),
  );

  /** A request of the matrix whose catalogue of that name is another: the first one where it names a list. */
  function requestNaming(
    { request }: Row,
    path: string,
    subjects: Parameters<Row["request"]>[0],
    named: string,
  ): ReturnType<Row["request"]> {
    const [method, address, body] = request(subjects);
    const [part, member = "", ofEach] = path.split(".");
    if (part === "query") {
      const url = new URL(address, service.url);
      url.searchParams.set(member, named);
      return [method, `${url.pathname}${url.search}`, body];
    }
    const given = body as Readonly<Record<string, unknown>>;
    if (ofEach === undefined) {
      return [method, address, { ...given, [member]: member === "catalogues" ? [named] : named }];
    }
    const [first, ...others] = given[member] as readonly Readonly<Record<string, unknown>>[];
    return [method, address, { ...given, [member]: [{ ...first, [ofEach]: named }, ...others] }];
  }

  const LISTS: ReadonlySet<string> = new Set(["listImports", "listSchedules", "listAudit"]);

  test("a restricted catalogue that a request names is to a stranger as one that is not there", async () => {
    const subjects = {
      ...(await newSubjects(service)),
      catalogue: (await createCatalogue(stranger)).id,
      otherCatalogue: (await createCatalogue(stranger)).id,
    };
    // With something of each kind that could be listed.
    const { id } = await restricted(owner.client);
    await newSchedule(owner.client, id);
    for (const [name, path] of naming) {
      const row = MATRIX[name];
      const client = row.level === "admin" ? confined : stranger;
      const shown = async (named: string) => {
        const request = requestNaming(row, path, subjects, named);
        if (operations[name].method === "GET" && "upgrade" in operations[name]) {
          const headers = { authorization: `Bearer ${session}` };
          return { status: await tryUpgrade(`${service.url}${request[1]}`, headers), body: "" };
        }
        const { status, body } = await call(client, request);
        return { status, body: JSON.stringify(body).replaceAll(named, "<id>") };
      };
      const answer = await shown(id);
      expect(answer, name).toEqual(await shown(randomUUID()));
      // A list of what is not there is empty; all else is refused.
      expect(answer.status, name).toBe(LISTS.has(name) ? 200 : 404);
      if (LISTS.has(name))
        expect(answer.body).toMatch(/^(?:\[\]|\{"\w+":\[\](?:,"next":null)?\})$/);
    }
  });

  /** Those that name a catalogue which is looked for otherwise. */
  const OTHERWISE = {
    // By parameters of the event service, at its root.
    fdsnQuery: "catalog",
    fdsnCount: "catalog",
    // A catalogue that is not there is invalid there.
    createToken: "catalogues",
    // Of decisions, whose catalogues are sources of the merge or unknown.
    previewRefresh: "catalogue_id",
    setDecisions: "catalogue_id",
    makeDecision: "catalogue_id",
  } as const;

  test("every operation whose body or query names catalogues says what it does with them", () => {
    const unsaid = all
      .filter((one) => one.names === undefined && namesCatalogue(one))
      .map(({ id }) => id);
    expect(unsaid.toSorted()).toEqual(Object.keys(OTHERWISE).toSorted());
  });

  function namesCatalogue(operation: Operation): boolean {
    const parts = [
      operation.body,
      operation.documentedBody,
      operation.query,
      operation.documentedQuery,
    ];
    return parts.some((schema) => {
      if (schema === undefined || typeof schema === "string") return false;
      const written = JSON.stringify(
        z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }),
      );
      return /"(?:sourceCatalogues|catalog(?:ue)?(?:s|Id|_id)?)":\{/.test(written);
    });
  }
});

describe("each change of a restricted catalogue", () => {
  let editor: ApiClient;
  let member: Person;
  beforeAll(async () => {
    editor = await service.loginAs("editor");
    member = await person(service, "editor");
  });

  const names = Object.keys(operations) as (keyof typeof operations)[];

  /** What it does with a catalogue, as its address, its body or the schedule of its address names it. */
  function actsOf(operation: Operation): readonly string[] {
    const ofAddresses = addressesOf(operation).map((address) => catalogueActOf(operation, address));
    const isOfSchedule =
      operation.path.startsWith("/api/schedules/:id") && operation.method !== "GET";
    const acts = [...ofAddresses, ...Object.values(operation.names ?? {})];
    return acts.flatMap((act) => act ?? []).concat(isOfSchedule ? ["change"] : []);
  }

  const changing = names.filter((name) => actsOf(operations[name]).includes("change"));
  const owning = names.filter((name) => actsOf(operations[name]).includes("own"));

  /** What the matrix is about, or one operation of it, restricted, with a member who has a right. */
  async function restrictedSubjects(right: "read" | "edit", request?: Row["request"]) {
    const subjects = await newSubjects(service, request);
    for (const id of new Set([subjects.catalogue, subjects.otherCatalogue, subjects.merge])) {
      if (id === "") continue;
      await editor.send("PATCH", `/api/catalogues/${id}`, { access: "restricted" });
      expect(await giveRight(editor, id, member.id, right)).toBe(200);
    }
    return subjects;
  }

  function requestOf(name: keyof typeof operations): Row["request"] {
    const { request } = MATRIX[name];
    if (name !== "importEvents") return request;
    // The matrix imports into a new catalogue.
    return ({ catalogue }: Subjects) => [
      "POST",
      "/api/import/agency",
      { catalogueId: catalogue, hours: 1 },
    ];
  }

  test("an editor who may only read a restricted catalogue is refused each change of it", async () => {
    const subjects = await restrictedSubjects("read");
    for (const name of [...changing, ...owning]) {
      const { status, body } = await call(member.client, requestOf(name)(subjects));
      expect([name, status, body]).toMatchObject([name, 403, { code: "FORBIDDEN" }]);
    }
  });

  test("an editor who may edit a restricted catalogue is allowed each change of it", async () => {
    const shared = await restrictedSubjects("edit");
    // An import asks an agency, which nobody reaches here.
    for (const name of changing.filter((one) => one !== "importEvents")) {
      const { request, success } = MATRIX[name];
      const subjects = spends(name) ? await restrictedSubjects("edit", request) : shared;
      const { status, body } = await call(member.client, request(subjects));
      expect([name, status, body]).toEqual([name, success, body]);
    }
  });
});
