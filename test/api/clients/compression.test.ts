import { request } from "node:http";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";

const service = sharedService();
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

test.each([
  "/fdsnws/event/1/query?format=xml",
  "/fdsnws/event/1/query?format=text",
  "/fdsnws/event/1/query?format=geojson&limit=10",
  "/events?limit=1000",
  "/events/filtered",
  "/events/columns",
])("%s is the same compressed and plain", async (path) => {
  const plain = await read(base + path, undefined);
  expect(plain.encoding).toBeUndefined();
  const gzip = await read(base + path, "gzip, deflate");
  expect([gzip.encoding, gzip.vary?.toLowerCase()]).toEqual([
    "gzip",
    expect.stringContaining("accept-encoding"),
  ]);
  const zstd = await read(base + path, "zstd");
  expect(zstd.encoding).toBe("zstd");
  const same = (bytes: Buffer) => withoutTimes(bytes) === withoutTimes(plain.bytes);
  expect(same(gunzipSync(gzip.bytes))).toBe(true);
  expect(same(zstdDecompressSync(zstd.bytes))).toBe(true);
  expect(gzip.bytes.length).toBeLessThan(plain.bytes.length / 2);
});

/** Answers tell when they were made. */
function withoutTimes(bytes: Buffer): string {
  return bytes
    .toString()
    .replaceAll(/"generated":\d+/g, "")
    .replaceAll(/<creationInfo>.*?<\/creationInfo>/g, "");
}

test.each(["/fdsnws/event/1/version", "/export?format=parquet"])(
  "%s is sent as it is",
  async (path) => {
    const answer = await read(base + path, "gzip, zstd, br");
    expect(answer.encoding).toBeUndefined();
  },
);

test("answers to clients that accept no known coding are plain", async () => {
  const answer = await read(`${base}/events?limit=1000`, "compress, x-unknown");
  expect(answer.encoding).toBeUndefined();
});
