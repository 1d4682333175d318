import { describe, expect, test } from "vitest";
import { createCatalogue } from "../support/catalogue.ts";
import { ERROR_TEXT, useHostileScene } from "./hostile-scene.ts";

const scene = useHostileScene();

describe("odd paths", () => {
  test.each([
    [404, "/api/catalogues/ID/fdsnws/event/1/query/"],
    [404, "/api/catalogues/ID/fdsnws/event/1/"],
    [404, "/api/catalogues/ID/fdsnws/event/1"],
    [404, "/api/catalogues/ID/fdsnws/event/2/query"],
    [404, "/api/catalogues/ID/fdsnws/event/1/QUERY"],
    [404, "/api/catalogues/ID/fdsnws/event/1/query%2fcount"],
    [404, "/api/catalogues/ID/fdsnws/event/1/../1/query"],
    [404, "/api/catalogues/ID/fdsnws/event/1/%2e%2e/1/query"],
    [404, "/api/catalogues/ID/fdsnws/event/1/query%00"],
    [404, "/api/catalogues/ID/fdsnws/event/1/query;limit=1"],
    [404, "/api/catalogues/ID%00/fdsnws/event/1/query"],
    [404, "/api/catalogues/ID'/fdsnws/event/1/query"],
    [404, "/api/catalogues/*/fdsnws/event/1/query"],
    [404, "/api/catalogues/ID/versions/1e0/fdsnws/event/1/query"],
    [404, "/api/catalogues/ID/versions/-1/fdsnws/event/1/query"],
    [404, "/api/catalogues/ID/versions/0/fdsnws/event/1/query"],
    [404, "/api/catalogues/ID/versions/999999999999/fdsnws/event/1/query"],
    [404, "/api/catalogues/ID/versions/1%2f/fdsnws/event/1/query"],
    [404, "/api/catalogues/ID/at/00000000T000000Z/fdsnws/event/1/query"],
    [404, "/api/catalogues/ID/at/20240230T000000Z/fdsnws/event/1/query"],
    [404, "/api/catalogues/ID/at/99999999T999999Z/fdsnws/event/1/query"],
    [404, "/api/catalogues/ID/versions/1/at/29990101T000000Z/fdsnws/event/1/query"],
    [404, "/api/share/fdsnws/event/1/query"],
    [404, "/api/share//fdsnws/event/1/query"],
    [404, "/api/share/%2e%2e/fdsnws/event/1/query"],
    [404, `/api/share/${"x".repeat(199)}/fdsnws/event/1/query`],
    [400, "/api/catalogues/ID/fdsnws/event/1/query.%2e%2e"],
    [400, "/api/catalogues/ID/fdsnws/event/1/query.__proto__"],
    [400, "/fdsnws/event/1/query"],
    [404, "/fdsnws/event/1/query?catalog=%27"],
    [401, "/fdsnws/event/1/query?catalog=00000000-0000-0000-0000-000000000000"],
    [404, "/fdsnws/dataselect/1/query"],
  ])("%i is the answer to %s, as text", async (expected, path) => {
    const { status, head, body } = await scene.raw(path.replaceAll("ID", scene.id));
    expect([status, head.split("\r\n")[0]]).toEqual([expected, expect.any(String)]);
    expect(head).toMatch(/\r\ncontent-type: text\/plain/i);
    expect(body).toMatch(ERROR_TEXT);
  });

  test.each([
    // It means an address of the service, so the error is the service's.
    ["fdsnws%2fevent%2f1%2fquery", "text/plain"],
    ["fdsnws\\\\event\\\\1\\\\query", "application/json"],
    ["fdsnws%5cevent", "application/json"],
  ])("%s is no service, and not found", async (path, type) => {
    const { status, head } = await scene.raw(`/api/catalogues/${scene.id}/${path}`);
    expect([status, /content-type: (.*)/i.exec(head)?.[1]]).toEqual([
      404,
      `${type}; charset=utf-8`,
    ]);
  });

  test("what cannot be decoded, or is beyond all lengths, is refused", async () => {
    for (const path of [
      `${scene.base}/query%`,
      `${scene.base}/query%zz`,
      `/api/share/${"x".repeat(201)}/fdsnws/event/1/query`,
      `/api/catalogues/${"x".repeat(5_000)}/fdsnws/event/1/query`,
      `${scene.base}/query?eventid=${"x".repeat(80_000)}`,
    ]) {
      const { status } = await scene.raw(path);
      expect([path.slice(0, 80), status]).toEqual([
        path.slice(0, 80),
        expect.toBeOneOf([400, 404, 414, 431]),
      ]);
    }
  });

  test("bytes beyond ASCII in an address are read as UTF-8 or refused", async () => {
    const { status, body } = await scene.raw(`${scene.base}/query?contributor=Zürich🌏&format=csv`);
    expect([status, body]).toEqual([expect.toBeOneOf([200, 400]), expect.any(String)]);
  });
});

describe("methods and headers", () => {
  const DOCUMENTS = ["query", "query.geojson", "count", "catalogs", "contributors", "version"];
  const ALL = [...DOCUMENTS, "application.wadl", "application.json"];

  test.each(["POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "MKCOL", "SEARCH"])(
    "%s is not allowed on any document of the service",
    async (method) => {
      for (const name of ALL) {
        const { status, head, body } = await scene.raw(`${scene.base}/${name}`, method);
        expect([name, status]).toEqual([name, 405]);
        expect(head).toMatch(/\r\nallow: GET, HEAD, OPTIONS(?:\r\n|$)/i);
        expect(body).toMatch(ERROR_TEXT);
      }
    },
  );

  test("HEAD has the head of GET and no body", async () => {
    for (const name of [...ALL, "query?format=text", "query?minmagnitude=9.9", "query?limit=x"]) {
      const [got, asked] = [
        await scene.raw(`${scene.base}/${name}`),
        await scene.raw(`${scene.base}/${name}`, "HEAD"),
      ];
      expect([name, asked.status, asked.body]).toEqual([name, got.status, ""]);
      const type = /\r\ncontent-type: .*/i.exec(got.head)?.[0];
      expect(/\r\ncontent-type: .*/i.exec(asked.head)?.[0]).toBe(type);
      const tag = /\r\netag: .*/i.exec(got.head)?.[0];
      expect(/\r\netag: .*/i.exec(asked.head)?.[0]).toBe(tag);
    }
  });

  test.each([
    ["TAG", 304],
    ["W/TAG", 304],
    ['"0", TAG', 304],
    ["*", 304],
    ['"1"', 200],
    ["1", 200],
    ['"', 200],
    ["\xff", 200],
  ])("If-None-Match: %s is answered %i, where TAG is the answer's", async (form, expected) => {
    const path = `${scene.base}/query?format=text`;
    const tag = form.replace("TAG", (await scene.guest.head(path)).headers.get("etag") ?? "");
    const answer = await scene.guest.get(path, { "if-none-match": tag });
    expect(answer.status).toBe(expected);
    if (expected === 304) expect(answer.body).toBe("");
  });

  test("a range is not served, and Accept chooses nothing", async () => {
    const whole = await scene.guest.get(`${scene.base}/query?format=text`);
    for (const headers of [
      { range: "bytes=0-10" },
      { range: "bytes=-1" },
      { range: "bytes=9-1,5-" },
      { accept: "image/png" },
      { accept: "application/xml;q=1e9, */*;q=x" },
      { "accept-encoding": "br;q=0, identity;q=0, *;q=0" },
      { "accept-language": "tlh" },
      { cookie: "session=nonsense" },
      { authorization: "Digest username=x" },
    ]) {
      const answer = await scene.guest.get(
        `${scene.base}/query?format=text`,
        headers as Record<string, string>,
      );
      expect([headers, answer.status, answer.body]).toEqual([headers, 200, whole.body]);
    }
  });

  test("documents take no parameters", async () => {
    for (const name of ALL.filter((name) => !/^(?:query|count)/.test(name))) {
      const answer = await scene.guest.get<string>(`${scene.base}/${name}?limit=1`);
      expect([name, answer.status]).toEqual([name, 400]);
      expect(answer.body).toMatch(ERROR_TEXT);
    }
  });
});

describe("the root", () => {
  test("a tag of one catalogue is none of another that is chosen later", async () => {
    const name = "Chosen";
    const first = await createCatalogue(scene.editor, { name, is_public: true });
    const path = `/fdsnws/event/1/query?catalog=${name}&format=text`;
    const before = await scene.guest.get(path);
    const tag = before.headers.get("etag") ?? "";
    expect((await scene.guest.get(path, { "if-none-match": tag })).status).toBe(304);
    await scene.editor.send("DELETE", `/api/catalogues/${first.id}`);
    await createCatalogue(scene.editor, { name, is_public: true });
    expect((await scene.guest.get(path, { "if-none-match": tag })).status).toBe(200);
  });
});

describe("a share", () => {
  async function shareOf(catalogue: string): Promise<string> {
    const path = `/api/catalogues/${catalogue}/shares`;
    const { body } = await scene.editor.send<{ share: { url: string } }>("POST", path, {});
    return new URL(body.share.url).pathname.split("/").at(-1) ?? "";
  }

  test("a token opens nothing when it is changed, and of other catalogues nothing at all", async () => {
    const [mine, other] = [
      await createCatalogue(scene.editor),
      await createCatalogue(scene.editor),
    ];
    const [token, foreign] = [await shareOf(mine.id), await shareOf(other.id)];
    const swapped = token.replaceAll(/[a-z]/gi, (c) =>
      c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase(),
    );
    for (const changed of [
      swapped,
      token.slice(0, -1),
      `${token}A`,
      `${token}=`,
      `${token}%00`,
      `${token}%20`,
      `%20${token}`,
      `${token},${foreign}`,
      `${token}%2f..%2f${foreign}`,
      "%",
    ]) {
      const { status, body } = await scene.raw(`/api/share/${changed}/events`);
      expect([changed, status]).toEqual([changed, expect.toBeOneOf([400, 404])]);
      expect(body).not.toContain('"events"');
    }
    for (const path of [
      `/api/share/${token}/fdsnws/event/1/query?catalog=${other.id}`,
      `/api/share/${token}/events/filtered?id=${other.id}`,
      `/api/share/${token}/events?token=${foreign}`,
      `/api/share/${token}/../${foreign}/events`,
      `/api/share/${token}/fdsnws/event/1/../../../../../catalogues/${other.id}/events`,
    ]) {
      const { status } = await scene.raw(path);
      expect([path, status]).toEqual([path, expect.toBeOneOf([204, 400, 404])]);
    }
    const own = `/api/catalogues/${mine.id}/events`;
    expect((await scene.guest.get(own, { authorization: `Bearer ${token}` })).status).toBe(401);
    expect((await scene.guest.get(own, { cookie: `session=${token}` })).status).toBe(401);
    expect((await scene.guest.get(own, { referer: `/api/share/${token}` })).status).toBe(401);
  });

  test("what is answered below a share is stored nowhere, whatever the answer", async () => {
    const { id: hidden } = await createCatalogue(scene.editor);
    const token = await shareOf(hidden);
    for (const path of [
      "events",
      "events/nothing",
      "export?format=parquet",
      "fdsnws/event/1/query",
      "fdsnws/event/1/query?limit=0",
      "fdsnws/event/1/query?minmagnitude=99",
      "fdsnws/event/1/nothing",
      "versions/1/fdsnws/event/1/query",
      "versions/9/fdsnws/event/1/query",
    ]) {
      const { head } = await scene.raw(`/api/share/${token}/${path}`);
      expect([path, /\r\ncache-control: (.*)/i.exec(head)?.[1]]).toEqual([path, "no-store"]);
      expect([path, /\r\nreferrer-policy: (.*)/i.exec(head)?.[1]]).toEqual([path, "no-referrer"]);
    }
  });
});

describe("OGC API – Features and summary feeds", () => {
  test.each([
    "limit=0",
    "limit=-1",
    "limit=x",
    "limit=1&limit=2",
    "bbox=1,2,3",
    "bbox=0x1,0,2,2",
    "bbox=,,,",
    "bbox=1e999,0,1,1",
    "bbox=-181,0,1,1",
    "bbox=0,5,1,4",
    "bbox=1,2,3,4,5",
    "bbox=1,2,3,4&bbox=1,2,3,4",
    "datetime=now",
    "datetime=/",
    "datetime=2020-01-02/2020-01-01",
    "datetime=a/b/c",
    "cursor=x",
    "cursor=%00",
    "asOf=x",
    "event_type=quake",
    "crs=EPSG:4326",
    "__proto__=1",
  ])("items?%s is 400", async (query) => {
    const { status, body } = await scene.raw(`/api/ogc/collections/${scene.id}/items?${query}`);
    expect([status, JSON.parse(body)]).toMatchObject([400, { code: expect.any(String) }]);
  });

  test.each([
    "/api/ogc/collections/x",
    "/api/ogc/collections/ID%2fitems",
    "/api/ogc/collections/ID/items/x",
    "/api/ogc/collections/00000000-0000-0000-0000-000000000000/items",
    "/api/catalogues/ID/feed/v1.0/summary/all_day.geojson%00",
    "/api/catalogues/ID/feed/v1.0/summary/ALL_DAY.geojson",
    "/api/catalogues/ID/feed/v1.0/summary/all_day",
    "/api/catalogues/ID/feed/v1.0/summary/..%2f..%2fevents",
  ])("%s is not found", async (path) => {
    expect([path, (await scene.raw(path.replaceAll("ID", scene.id))).status]).toEqual([path, 404]);
  });
});
