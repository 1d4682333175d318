import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import type { ApiAnswer } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const client = clientOf(service, "editor");
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
  const events = Array.from({ length: COUNT }, (_, i) => numbered(i));
  catalogue = (await createCatalogue(client, { events })).id;
});

const list = (query: string, id = catalogue): Promise<ApiAnswer<Walked>> =>
  client.get<Walked>(`/api/catalogues/${id}/events?${query}`);
const idsOf = ({ events }: Listed) => events.map(({ source_id }) => source_id);

/** The ids of each page of a walk to its end. */
async function walk(query: string, id = catalogue): Promise<string[][]> {
  const pages: string[][] = [];
  for (let next: string | null = query; next !== null; ) {
    const { body }: ApiAnswer<Walked> = await list(next, id);
    pages.push(idsOf(body));
    const { nextCursor, hasMore } = body.pagination;
    // A limit alone does not tell it.
    expect(hasMore ?? nextCursor !== null).toBe(nextCursor !== null);
    next = nextCursor === null ? null : `cursor=${nextCursor}`;
  }
  return pages;
}

describe("pages and offsets", () => {
  test("are answered newest first, and echo themselves", async () => {
    for (const [query, from, to, echo] of [
      ["", 0, 12, { total: 12, page: 1, pageSize: 50 }],
      ["page=1", 0, 12, { total: 12, page: 1, pageSize: 50 }],
      ["page=2&pageSize=5", 5, 10, { total: 12, page: 2, pageSize: 5 }],
      ["page=3&pageSize=5", 10, 12, { total: 12, page: 3, pageSize: 5 }],
      ["page=4&pageSize=5", 12, 12, { total: 12, page: 4, pageSize: 5 }],
      ["pageSize=1000", 0, 12, { total: 12, page: 1, pageSize: 1000 }],
      ["offset=0", 0, 12, { total: 12, limit: 100, offset: 0 }],
      ["offset=10&limit=5", 10, 12, { total: 12, limit: 5, offset: 10 }],
      ["offset=1000000000", 12, 12, { total: 12, limit: 100, offset: 1_000_000_000 }],
    ] as const) {
      const { status, body } = await list(query);
      const { events: _events, ...rest } = body;
      expect({ status, rest }, query).toEqual({ status: 200, rest: echo });
      expect(idsOf(body), query).toEqual(newestFirst.slice(from, to));
    }
    const { body } = await list("limit=5");
    expect(body).toMatchObject({ total: 12, limit: 5, offset: 0 });
    expect((await walk("limit=5")).flat()).toEqual(newestFirst);
    expect((await list("limit=12")).body.pagination.nextCursor).toBeNull();
  });

  test("far from both ends are what a walk comes to", async () => {
    const events = Array.from({ length: 2_300 }, (_, i) =>
      seismicEvent({ id: `f${i}`, time: `2020-01-01T00:${String(i % 60).padStart(2, "0")}:00Z` }),
    );
    const { id } = await createCatalogue(client, { events });
    const walked = (await walk("limit=1000", id)).flat();
    for (const page of [21, 22, 23, 25, 26, 24, 21]) {
      const { body } = await list(`page=${page}&pageSize=50`, id);
      expect(idsOf(body)).toEqual(walked.slice(50 * (page - 1), 50 * page));
    }
    const { body } = await list("offset=1111&limit=7&asOf=1", id);
    expect(idsOf(body)).toEqual(walked.slice(1_111, 1_118));
  });

  test("are refused by name where they are mixed or malformed", async () => {
    for (const query of [
      ...["page=1&offset=0", "pageSize=5&limit=5", "page=1&cursor=x", "offset=0&direction=asc"],
      "pageSize=5&pagination=cursor",
    ]) {
      const { error } = expectRefusal(await list(query), "VALIDATION_ERROR");
      for (const part of query.split("&")) expect(error).toContain(part.split("=")[0]);
    }
    for (const query of [
      ...["page=0", "page=-1", "page=1.5", "page=12abc", "page=1e400", "page=NaN", "page="],
      ...["page=1&page=2", "pageSize=0", "pageSize=1001", "limit=0", "limit=1001"],
      ...["limit=Infinity", "offset=-1", "offset=99999999999999999999", "direction=up"],
      ...["pagination=page", "asOf=", "asOf=yesterday", "asOf=-1", "asOf=2024-02-30"],
      ...["Page=1", "unknown=1", "__proto__=1"],
    ]) {
      expectRefusal(await list(query), "VALIDATION_ERROR", query.split("=")[0]);
    }
  });
});

describe("a cursor walk", () => {
  test("shows every event once, newest first or oldest first, and goes back", async () => {
    for (const limit of [1, 5, 6, 12, 1000]) {
      const pages = await walk(`pagination=cursor&limit=${limit}`);
      expect(pages.flat()).toEqual(newestFirst);
      expect(pages).toHaveLength(Math.ceil(COUNT / limit));
    }
    expect((await walk("direction=asc&limit=5")).flat()).toEqual(newestFirst.toReversed());
    expect((await list("pagination=cursor")).body).toMatchObject({ pagination: { limit: 100 } });

    const first = (await list("pagination=cursor&limit=5")).body;
    expect(first.pagination.prevCursor).toBeNull();
    const second = (await list(`cursor=${first.pagination.nextCursor}`)).body;
    const back = await list(`cursor=${second.pagination.prevCursor}`);
    expect(idsOf(back.body)).toEqual(idsOf(first));
    // A repeated direction that agrees, and another limit.
    const again = `cursor=${first.pagination.nextCursor}&direction=desc&limit=2`;
    expect(idsOf((await list(again)).body)).toEqual(newestFirst.slice(5, 7));
  });

  test("stays at the version where it began, whatever is written meanwhile", async () => {
    const events = Array.from({ length: 4 }, (_, i) => numbered(i));
    const { id } = await createCatalogue(client, { events });
    const first = await list("pagination=cursor&limit=2", id);
    const path = `/api/catalogues/${id}/events`;
    await client.send("POST", path, { events: [numbered(9)] });
    const changed = [seismicEvent({ id: name(0), time: "2021-01-01T00:00:00Z" })];
    await client.send("POST", path, { events: changed, updateExisting: true });
    const second = await list(`cursor=${first.body.pagination.nextCursor}`, id);
    expect([...idsOf(first.body), ...idsOf(second.body)]).toEqual(["e03", "e02", "e01", "e00"]);
    expect(second.headers.get("etag")).toBe('"1"');
    expect(second.body.pagination.nextCursor).toBeNull();
  });

  test("refuses a cursor that was cut, changed, made up, forged or is of something else", async () => {
    const other = await createCatalogue(client);
    const cursor = (await list("pagination=cursor&limit=5")).body.pagination.nextCursor ?? "";
    const middle = Math.floor(cursor.length / 2);
    const flipped = cursor[middle] === "A" ? "B" : "A";
    const hostile = [
      ...["", "x", "%00", "AAAA", "e30", "🜨", `${cursor}A`, `${cursor}%3D`, "A".repeat(5_000)],
      ...[cursor.slice(0, -1), cursor.slice(1), `${cursor}&direction=asc`],
      `${cursor.slice(0, middle)}${flipped}${cursor.slice(middle + 1)}`,
      ...[-1, 0, 0.5, 2, 2 ** 31 - 1, 2 ** 31, 2 ** 53, 1e300].map((version) =>
        forgeCursor(cursor, { version }),
      ),
    ];
    for (const text of hostile) expectRefusal(await list(`cursor=${text}`), "INVALID_CURSOR");
    expectRefusal(await list(`cursor=${cursor}`, other.id), "INVALID_CURSOR");
    const filtered = `/api/catalogues/${catalogue}/events/filtered?cursor=${cursor}`;
    expectRefusal(await client.get(filtered), "INVALID_CURSOR");
  });
});

test("a list answers 304 to who has seen the version", async () => {
  const path = `/api/catalogues/${catalogue}/events`;
  expect((await client.get(path)).headers.get("etag")).toBe('"1"');
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
