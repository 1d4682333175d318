import { request } from "node:http";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();

test("HEAD tells no length where GET sends bytes, or the length that GET has", async () => {
  const editor = await service.loginAs("editor");
  const { id } = await createCatalogue(editor, {
    events: [...generateEvents(1, 1_100)],
    is_public: true,
  });
  const paths = [
    "/events/columns",
    "/events?limit=1000",
    "/events/filtered",
    "/events/filtered?limit=3",
    "/export?format=csv",
    "/versions/1/citation?format=text",
    "/versions/1/diff",
    "/versions/1/diff?format=csv",
    "/fdsnws/event/1/query",
    "/feed/v1.0/summary/all_month.geojson",
  ];
  for (const path of paths) {
    const url = `${service.url}/api/catalogues/${id}${path}`;
    const headers = { "accept-encoding": "identity" };
    const whole = await fetch(url, { headers });
    const { byteLength } = await whole.arrayBuffer();
    const head = await fetch(url, { method: "HEAD", headers });
    expect([path, head.status]).toEqual([path, whole.status]);
    expect([null, String(byteLength)]).toContain(head.headers.get("content-length"));
    expect(byteLength).toBeGreaterThan(0);
  }
});

test("the two forms of columns have one address and two tags", async () => {
  const editor = await service.loginAs("editor");
  const { id } = await createCatalogue(editor);
  const path = `/api/catalogues/${id}/events/columns`;
  const tagOf = async (accept: string) => (await editor.get(path, { accept })).headers.get("etag");
  expect([await tagOf("*/*"), await tagOf("application/json")]).toEqual(['"1"', '"1-as-json"']);
});

test("a share opens the events, by column for its page too, and neither members, shares nor imports", async () => {
  const editor = await service.loginAs("editor");
  const { id } = await createCatalogue(editor);
  const { body } = await editor.send<{ share: { url: string } }>(
    "POST",
    `/api/catalogues/${id}/shares`,
    {},
  );
  const path = new URL(body.share.url).pathname;
  const status = async (rest: string) => (await fetch(`${service.url}${path}${rest}`)).status;
  expect([await status("/events"), await status("/events/columns")]).toEqual([200, 200]);
  for (const other of ["/members", "/shares", "/merge", "/schedules", "/versions/1/diff"]) {
    expect(await status(other), other).toBe(404);
  }
});

let base: string;

beforeAll(async () => {
  const editor = await service.loginAs("editor");
  const events = Array.from({ length: 1_500 }, () => seismicEvent());
  const { id } = await createCatalogue(editor, { events, is_public: true });
  base = `/api/catalogues/${id}`;
});

type Raw = {
  readonly encoding: string | undefined;
  readonly vary: string | undefined;
  readonly bytes: Buffer;
};

/** The bytes as they are sent: fetch would decode them. */
function read(path: string, acceptEncoding: string | undefined): Promise<Raw> {
  const headers = acceptEncoding === undefined ? {} : { "accept-encoding": acceptEncoding };
  return new Promise((resolve, reject) => {
    request(new URL(path, service.url), { headers }, async (answer) => {
      const bytes = Buffer.concat(await answer.toArray());
      const { "content-encoding": encoding, vary } = answer.headers;
      resolve({ encoding, vary, bytes });
    })
      .once("error", reject)
      .end();
  });
}

/** Answers tell when they were made. */
function withoutTimes(bytes: Buffer): string {
  return bytes
    .toString()
    .replaceAll(/"generated":\d+/g, "")
    .replaceAll(/<creationInfo>.*?<\/creationInfo>/g, "");
}

test("an answer is the same compressed and plain", async () => {
  for (const path of [
    "/fdsnws/event/1/query?format=xml",
    "/fdsnws/event/1/query?format=text",
    "/fdsnws/event/1/query?format=geojson&limit=10",
    "/events?limit=1000",
    "/events/filtered",
    "/events/columns",
  ]) {
    const plain = await read(base + path, undefined);
    const gzip = await read(base + path, "gzip, deflate");
    const zstd = await read(base + path, "zstd");
    const encodings = [plain, gzip, zstd].map(({ encoding }) => encoding);
    expect(encodings, path).toEqual([undefined, "gzip", "zstd"]);
    expect(gzip.vary?.toLowerCase()).toContain("accept-encoding");
    const same = (bytes: Buffer) => withoutTimes(bytes) === withoutTimes(plain.bytes);
    expect(same(gunzipSync(gzip.bytes)), path).toBe(true);
    expect(same(zstdDecompressSync(zstd.bytes)), path).toBe(true);
    expect(gzip.bytes.length).toBeLessThan(plain.bytes.length / 2);
  }
});

test("what is short or compressed already, and what is for clients that accept no known coding, is plain", async () => {
  for (const [path, coding] of [
    ["/fdsnws/event/1/version", "gzip, zstd, br"],
    ["/export?format=parquet", "gzip, zstd, br"],
    ["/events?limit=1000", "compress, x-unknown"],
  ] as const) {
    expect((await read(base + path, coding)).encoding, path).toBeUndefined();
  }
});
