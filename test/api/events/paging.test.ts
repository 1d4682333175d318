import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { ApiAnswer, ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();
let client: ApiClient;
let catalogue: string;

type Listed = { readonly events: readonly { source_id: string }[] };
type Walked = Listed & {
  readonly pagination: { nextCursor: string | null; prevCursor: string | null; hasMore: boolean };
};

/** Twelve events e00 … e11, a minute apart: e11 is the newest. */
const COUNT = 12;
const name = (i: number) => `e${String(i).padStart(2, "0")}`;
const numbered = (i: number) =>
  seismicEvent({ id: name(i), time: `2020-01-01T00:${String(i).padStart(2, "0")}:00Z` });
const newestFirst = Array.from({ length: COUNT }, (_, i) => name(COUNT - 1 - i));

beforeAll(async () => {
  client = await service.loginAs("editor");
  const events = Array.from({ length: COUNT }, (_, i) => numbered(i));
  catalogue = (await createCatalogue(client, { events })).id;
});

const list = <T extends Listed>(query: string, id = catalogue): Promise<ApiAnswer<T>> =>
  client.get<T>(`/api/catalogues/${id}/events?${query}`);
const idsOf = ({ events }: Listed) => events.map(({ source_id }) => source_id);

describe("pages and offsets", () => {
  test.each([
    ["", 0, 12, { total: 12, page: 1, pageSize: 50 }],
    ["page=1", 0, 12, { total: 12, page: 1, pageSize: 50 }],
    ["page=2&pageSize=5", 5, 10, { total: 12, page: 2, pageSize: 5 }],
    ["page=3&pageSize=5", 10, 12, { total: 12, page: 3, pageSize: 5 }],
    ["page=4&pageSize=5", 12, 12, { total: 12, page: 4, pageSize: 5 }],
    ["pageSize=1000", 0, 12, { total: 12, page: 1, pageSize: 1000 }],
    ["offset=0", 0, 12, { total: 12, limit: 100, offset: 0 }],
    ["offset=10&limit=5", 10, 12, { total: 12, limit: 5, offset: 10 }],
    ["offset=1000000000", 12, 12, { total: 12, limit: 100, offset: 1_000_000_000 }],
  ])(
    "%j answers events %i to %i, newest first, and echoes itself",
    async (query, from, to, echo) => {
      const { status, body } = await list(query);
      const { events: _events, ...rest } = body;
      expect({ status, rest }).toEqual({ status: 200, rest: echo });
      expect(idsOf(body)).toEqual(newestFirst.slice(from, to));
    },
  );

  test("a page pages far from both ends are what a walk comes to", async () => {
    const events = Array.from({ length: 2_300 }, (_, i) =>
      seismicEvent({ id: `f${i}`, time: `2020-01-01T00:${String(i % 60).padStart(2, "0")}:00Z` }),
    );
    const { id } = await createCatalogue(client, { events });
    const walked: string[] = [];
    for (let at = "limit=1000"; ; ) {
      const { body } = await list<Walked>(at, id);
      walked.push(...idsOf(body));
      if (body.pagination.nextCursor === null) break;
      at = `cursor=${body.pagination.nextCursor}`;
    }
    for (const page of [21, 22, 23, 25, 26, 24, 21]) {
      const { body } = await list(`page=${page}&pageSize=50`, id);
      expect(idsOf(body)).toEqual(walked.slice(50 * (page - 1), 50 * page));
    }
    const { body } = await list("offset=1111&limit=7&asOf=1", id);
    expect(idsOf(body)).toEqual(walked.slice(1_111, 1_118));
  });

  test("a limit alone is an offset of 0 that goes on by cursor", async () => {
    const { body } = await list<Walked>("limit=5");
    expect(body).toMatchObject({ total: 12, limit: 5, offset: 0 });
    const next = await list<Walked>(`cursor=${body.pagination.nextCursor}`);
    expect(idsOf(next.body)).toEqual(newestFirst.slice(5, 10));
    const all = await list<Walked>("limit=12");
    expect(all.body.pagination.nextCursor).toBeNull();
  });

  test.each([
    ["page=1&offset=0", ["page", "offset"]],
    ["pageSize=5&limit=5", ["pageSize", "limit"]],
    ["page=1&cursor=x", ["page", "cursor"]],
    ["offset=0&direction=asc", ["offset", "direction"]],
    ["pageSize=5&pagination=cursor", ["pageSize", "pagination"]],
  ])("%s mixes strategies and is refused by name", async (query, names) => {
    const { error } = expectRefusal(await list(query), "VALIDATION_ERROR");
    for (const parameter of names) expect(error).toContain(parameter);
  });

  test.each([
    "page=0",
    "page=-1",
    "page=1.5",
    "page=12abc",
    "page=1e400",
    "page=NaN",
    "page=",
    "page=1&page=2",
    "pageSize=0",
    "pageSize=1001",
    "limit=0",
    "limit=1001",
    "limit=Infinity",
    "offset=-1",
    "offset=99999999999999999999",
    "direction=up",
    "pagination=page",
    "asOf=",
    "asOf=yesterday",
    "asOf=-1",
    "asOf=2024-02-30",
    "Page=1",
    "unknown=1",
    "__proto__=1",
  ])("a page refuses %s and names the parameter", async (query) => {
    const [parameter] = query.split("=");
    expectRefusal(await list(query), "VALIDATION_ERROR", parameter);
  });
});

describe("a cursor walk", () => {
  async function walk(query: string): Promise<string[][]> {
    const pages: string[][] = [];
    for (let next: string | null = query; next !== null; ) {
      const answer: ApiAnswer<Walked> = await list<Walked>(next);
      const body: Walked = answer.body;
      pages.push(idsOf(body));
      const { nextCursor, hasMore } = body.pagination;
      expect(hasMore).toBe(nextCursor !== null);
      next = nextCursor === null ? null : `cursor=${nextCursor}`;
    }
    return pages;
  }

  test.each([1, 5, 6, 12, 1000])(
    "a cursor walk shows every event once, newest first, by %i",
    async (limit) => {
      const pages = await walk(`pagination=cursor&limit=${limit}`);
      expect(pages.flat()).toEqual(newestFirst);
      expect(pages).toHaveLength(Math.ceil(COUNT / limit));
    },
  );

  test("a cursor walk goes from the oldest on with direction=asc", async () => {
    expect((await walk("direction=asc&limit=5")).flat()).toEqual(newestFirst.toReversed());
  });

  test("a cursor walk has 100 events a page by default", async () => {
    expect((await list("pagination=cursor")).body).toMatchObject({ pagination: { limit: 100 } });
  });

  test("a cursor walk goes back by prevCursor to the page before, in the same order", async () => {
    const first = await list<Walked>("pagination=cursor&limit=5");
    expect(first.body.pagination.prevCursor).toBeNull();
    const second = await list<Walked>(`cursor=${first.body.pagination.nextCursor}`);
    const back = await list<Walked>(`cursor=${second.body.pagination.prevCursor}`);
    expect(idsOf(back.body)).toEqual(idsOf(first.body));
  });

  test("a cursor walk stays at the version where it began, whatever is written meanwhile", async () => {
    const events = Array.from({ length: 4 }, (_, i) => numbered(i));
    const { id } = await createCatalogue(client, { events });
    const first = await list<Walked>("pagination=cursor&limit=2", id);
    const path = `/api/catalogues/${id}/events`;
    await client.send("POST", path, { events: [numbered(9)] });
    const changed = [seismicEvent({ id: name(0), time: "2021-01-01T00:00:00Z" })];
    await client.send("POST", path, { events: changed, updateExisting: true });
    const second = await list<Walked>(`cursor=${first.body.pagination.nextCursor}`, id);
    expect([...idsOf(first.body), ...idsOf(second.body)]).toEqual(["e03", "e02", "e01", "e00"]);
    expect(second.headers.get("etag")).toBe('"1"');
    expect(second.body.pagination.nextCursor).toBeNull();
  });

  test("a cursor walk refuses a cursor that was cut, changed, made up or is of something else", async () => {
    const other = await createCatalogue(client);
    const { nextCursor } = (await list<Walked>("pagination=cursor&limit=5")).body.pagination;
    const cursor = nextCursor ?? "";
    const middle = Math.floor(cursor.length / 2);
    const flipped = cursor[middle] === "A" ? "B" : "A";
    const hostile = [
      "",
      "x",
      "%00",
      "AAAA",
      "e30",
      "🜨",
      cursor.slice(0, -1),
      cursor.slice(1),
      `${cursor}A`,
      `${cursor}%3D`,
      `${cursor.slice(0, middle)}${flipped}${cursor.slice(middle + 1)}`,
      "A".repeat(5_000),
    ];
    for (const text of hostile) expectRefusal(await list(`cursor=${text}`), "INVALID_CURSOR");
    expectRefusal(await list(`cursor=${cursor}`, other.id), "INVALID_CURSOR");
    expectRefusal(await list(`cursor=${cursor}&direction=asc`), "INVALID_CURSOR");
    const filtered = `/api/catalogues/${catalogue}/events/filtered?cursor=${cursor}`;
    expectRefusal(await client.get(filtered), "INVALID_CURSOR");
  });

  test("a cursor walk refuses a cursor forged to be of a version that cannot be", async () => {
    const { nextCursor } = (await list<Walked>("pagination=cursor&limit=5")).body.pagination;
    for (const version of [-1, 0, 0.5, 2, 2 ** 31 - 1, 2 ** 31, 2 ** 53, 1e300]) {
      const cursor = forgeCursor(nextCursor ?? "", { version });
      expectRefusal(await list(`cursor=${cursor}`), "INVALID_CURSOR");
    }
  });

  test("a cursor walk takes a repeated direction that agrees, and another limit", async () => {
    const { nextCursor } = (await list<Walked>("direction=desc&limit=5")).body.pagination;
    const { body } = await list<Walked>(`cursor=${nextCursor}&direction=desc&limit=2`);
    expect(idsOf(body)).toEqual(newestFirst.slice(5, 7));
  });
});

test("a list answers 304 to who has seen the version", async () => {
  const path = `/api/catalogues/${catalogue}/events`;
  const { headers } = await client.get(path);
  expect(headers.get("etag")).toBe('"1"');
  expect((await client.get(path, { "if-none-match": '"1"' })).status).toBe(304);
  expect((await client.get(path, { "if-none-match": '"2"' })).status).toBe(200);
});

/** The cursor with other contents; its checksum is no secret. */
function forgeCursor(cursor: string, contents: object): string {
  const value = JSON.parse(Buffer.from(cursor, "base64url").subarray(6).toString()) as object;
  const json = Buffer.from(JSON.stringify({ ...value, ...contents }));
  const checksum = createHash("sha256").update(json).digest().subarray(0, 6);
  return Buffer.concat([checksum, json]).toString("base64url");
}
