import { beforeAll, describe, expect, test } from "vitest";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { rawGet } from "../../support/api/raw-request.ts";
import { type ApiAnswer, type ApiClient, createApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";

const PARTNER = "https://partner.example.org";
const service = useService({ CORS_ORIGINS: PARTNER, RATE_LIMIT_WRITE: "9" });
let viewer: ApiClient;
let guest: ApiClient;
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
  viewer = await service.loginAs("viewer");
  guest = createApiClient(service.url);
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
  test.each([
    ["what is not allowed", (path: string) => `${path}/events`, 401],
    ["what is not there", () => "/api/catalogues/nothing/events", 404],
    ["what has no endpoint", () => "/api/nothing", 404],
    ["a wrong parameter's refusal", (path: string) => `${path}/events?page=0`, 401],
    ["what cannot be routed", () => "/api/catalogues/%zz", 400],
  ])("%s", async (_what, pathOf, status) => {
    const answer = await guest.get(pathOf(ofPrivate));
    expect([answer.status, ...headersOf(answer, "cache-control")]).toEqual([status, "no-store"]);
  });

  test("a refusal on the way to what could be kept", async () => {
    for (const [path, status] of [
      [`${ofPublic}/events?page=0`, 400],
      [`${ofPublic}/events?asOf=1`, 404],
      [`${ofPublic}/export`, 401],
    ] as const) {
      const answer = await guest.get(path);
      expect([answer.status, ...headersOf(answer, "cache-control")]).toEqual([status, "no-store"]);
    }
  });

  test("what is not HTTP as it is read", async () => {
    const answer = await rawGet(service.url, "/api/catalogues", { "x-long": "x".repeat(100_000) });
    expect([answer.status, answer.headers["cache-control"]]).toEqual([431, "no-store"]);
  });

  test("that there were too many requests", async () => {
    const editor = await service.loginAs("editor");
    const asked = Array.from({ length: 12 }, () => editor.send("POST", "/api/merge", {}));
    const refused = (await Promise.all(asked)).filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect(headersOf(answer, "cache-control")).toEqual(["no-store"]);
    }
  });
});
