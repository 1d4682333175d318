import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { PARAMETER_NAMES } from "#contracts/fdsn/parameters.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { rawRequest } from "../../support/raw-request.ts";
import { runs } from "../../support/runs.ts";
import { useService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";

const service = useService({
  RATE_LIMIT_CLIENTS: "0",
  RATE_LIMIT_WRITE: "0",
  RATE_LIMIT_READ: "0",
});
let editor: ApiClient;
let guest: ApiClient;
let id: string;
let base: string;

beforeAll(async () => {
  editor = await service.loginAs("editor");
  guest = createApiClient(service.url);
  const events = [seismicEvent({ source_id: "one" }), seismicEvent({ magnitude: null })];
  ({ id } = await createCatalogue(editor, { events, is_public: true }));
  base = `/api/catalogues/${id}/fdsnws/event/1`;
});

const ERROR_TEXT =
  /^Error (\d{3}): [A-Z][A-Za-z ]+\n\n[^\n]+\n\nUsage details are available from \S+\n\nRequest:\n[^\n]*\n\nRequest Submitted:\n\S+Z\n\nService version:\n1\.2\.0\n$/;

const raw = (path: string, method = "GET") => rawRequest(service.url, { method, path });

const MANY_NINES = "9".repeat(4_000);
const MALFORMED = [
  "limit=0",
  `limit=-${MANY_NINES}`,
  "limit=0x10",
  "limit=1e3",
  "limit=%31%00",
  "limit=%D9%A1",
  "limit=1&limit=1",
  "limit=1&LIMIT=1",
  "limit=1&%6cimit=1",
  "start=2020-01-01&starttime=2020-01-01",
  "offset=0",
  "offset=NaN",
  "offset[]=1",
  "offset[$gt]=1",
  `minmagnitude=1e${MANY_NINES}`,
  `minmagnitude=${MANY_NINES}`,
  "minmagnitude=--1",
  "minmagnitude=1;2",
  "minmagnitude=1,2",
  "minmagnitude=%C0%AF",
  "minmagnitude=%ED%A0%80",
  "minmagnitude=%",
  "minmagnitude=%u0031",
  "minmagnitude='",
  "minmagnitude=1) or (1=1",
  "minmagnitude=Infinity",
  "minmagnitude=-inf",
  "mindepth=5&maxdepth=1",
  "minlatitude=90.0000001",
  "maxlatitude=-91",
  "minlatitude=1&maxlatitude=0",
  "minlongitude=-361",
  "maxlongitude=1e10",
  "latitude=1",
  "longitude=1",
  "maxradius=1",
  "latitude=0&longitude=0&maxradius=181",
  "latitude=0&longitude=0&maxradius=1&maxradiuskm=5",
  "latitude=0&longitude=0&minradius=2&maxradius=1",
  "latitude=91&longitude=0&maxradius=1",
  "starttime=now",
  "starttime=0",
  "starttime=-1",
  "starttime=2020-02-30",
  "starttime=2020-13-01",
  "endtime=9999-12-31T24:00:00",
  "starttime=0001-01-01T00:00:00%2B14:00",
  "starttime=2020-01-01T25:00:00",
  "starttime=+012020-01-01",
  "starttime=10000-01-01",
  "starttime=0000-00-00",
  "starttime=%202020-01-01%20;%20drop%20table",
  "starttime=2020-01-02&endtime=2020-01-01",
  `starttime=2020-01-01T00:00:00.${"x".repeat(100)}`,
  "updatedafter=yesterday",
  "asof=latest",
  "asof=-1",
  "asof=1.5",
  "eventtype=quake",
  "eventtype=earthquake,nonsense",
  "eventtype=,",
  "magnitudetype=,,",
  "magnitudetype=M%00",
  "eventid=,",
  "eventid=%00",
  "eventid=a%00b",
  "catalog=%00",
  "contributor=%FF%FE",
  "orderby=random()",
  "orderby=time%20desc",
  "orderby=time-desc",
  "nodata=200",
  "nodata=0404",
  "format=kmz",
  "format=xml,text",
  "format=../../etc/passwd",
  "includeallorigins=1",
  "includeallorigins=yes",
  "includeallmagnitudes=maybe",
  "includearrivals=2",
  "includedeleted=true",
  "includesuperseded=true",
  "unknown=1",
  "min magnitude=1",
  "minmagnitude%20=1",
  "minmagnitude%00=1",
  "%00=1",
  "=",
  "=1",
  "?=minmagnitude",
  "__proto__=1",
  "__proto__[x]=1",
  "constructor=1",
  "toString",
  "hasOwnProperty=1",
  "%E2%80%AEminmagnitude=1",
  "m%C3%ACnmagnitude=1",
  "m%C4%B1nmagnitude=1",
  "%F0%9F%8C%8F=1",
  "a=1%0d%0aX-Injected:%201",
  "limit=%0d%0a%0d%0aError 200: OK",
  "<script>alert(1)</script>",
  "minmagnitude=<script>",
  "callback=alert",
  "jsonerror=true&limit=0",
  "jsonerror=2&format=geojson",
];

describe("a malformed query", () => {
  test.each(MALFORMED)("?%s is refused in the standard's error text", async (query) => {
    const sent = query.replaceAll(" ", "%20");
    const { status, head, body } = await raw(`${base}/query?${sent}`);
    expect(body).toMatch(ERROR_TEXT);
    expect([status, ERROR_TEXT.exec(body)?.[1]]).toEqual([400, "400"]);
    expect(head).toMatch(/\r\ncontent-type: text\/plain; charset=utf-8(?:\r\n|$)/i);
    expect(head).toMatch(/\r\naccess-control-allow-origin: \*(?:\r\n|$)/i);
    expect(head).not.toMatch(/injected/i);
  });

  test.each(MALFORMED.filter((query) => !query.startsWith("jsonerror")))(
    "?%s is refused as ComCat's JSON where that is asked for",
    async (query) => {
      const sent = query.replaceAll(" ", "%20");
      const path = `${base}/query?${sent}&format=geojson&jsonerror=true`;
      const { status, body } = await raw(path);
      expect([status, JSON.parse(body).metadata.status]).toEqual([200, 400]);
    },
  );

  test("whatever is asked, the answer is data, no data or a fault of the query", async () => {
    const anyName = fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...PARAMETER_NAMES) },
      fc.constantFrom("start", "end", "minmag", "lat", "lon", "magtype"),
      fc.string({ unit: "binary" }),
    );
    const anyValue = fc.oneof(
      fc.double().map(String),
      fc.integer().map(String),
      fc.bigInt().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      fc.constantFrom("true", "geojson", "text", "earthquake", "mb", "magnitude", "404", ",", "*"),
      fc.string({ unit: "binary", maxLength: 50 }),
      fc.constantFrom(
        "one",
        "smi:local.catalogue/id/",
        "smi:a/event/1",
        "%",
        "\\",
        "{}",
        "/",
        "?&=",
      ),
    );
    const encoded = (text: string) => encodeURIComponent(text.toWellFormed());
    const anyQuery = fc
      .uniqueArray(fc.tuple(anyName, anyValue), { selector: ([name]) => name, maxLength: 4 })
      .map((pairs) => pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join("&"));
    await fc.assert(
      fc.asyncProperty(anyQuery, fc.constantFrom("query", "count"), async (query, method) => {
        const { status } = await guest.get(`${base}/${method}?${query}`);
        expect([200, 204, 400, 404]).toContain(status);
      }),
      { numRuns: runs(500) },
    );
  });
});

describe("values that are allowed, however large", () => {
  test.each([
    `limit=${"9".repeat(300)}`,
    `offset=${"9".repeat(300)}`,
    `limit=${Number.MAX_SAFE_INTEGER}&offset=${Number.MAX_SAFE_INTEGER}`,
    "minmagnitude=1e308&maxmagnitude=1e308",
    "mindepth=-1e308&maxdepth=1e308",
    "minmagnitude=1e-320",
    "starttime=0001-01-01&endtime=9999-12-31T23:59:59.999999999",
    "updatedafter=0001-01-01",
    "updatedafter=9999-12-31T23:59:59%2B14:00",
    "latitude=90&longitude=360&maxradius=1e-300",
    "latitude=-90&longitude=-360&minradius=180",
    `eventid=${"a,".repeat(3_000)}`,
    `eventid=${Array.from({ length: 300 }, (_, i) => `smi:a/${i}`).join(",")}`,
    `contributor=${"é".repeat(1_000)}`,
    `catalog=${"\u202e".repeat(1_000)}`,
    `magnitudetype=${Array.from({ length: 1_000 }, (_, i) => i).join(",")}`,
  ])("?%s is answered", async (query) => {
    for (const method of ["query", "count"]) {
      const { status, body } = await guest.get(`${base}/${method}?${query}`);
      expect([status, body]).toEqual([expect.toBeOneOf([200, 204]), expect.anything()]);
    }
  });

  test.each(["asof=99999999999999999999", "asof=0", "asof=0001-01-01"])(
    "?%s names no version",
    async (query) => {
      expect((await guest.get(`${base}/query?${query}`)).status).toBe(404);
    },
  );
});

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
    [404, "/fdsnws/event/1/query?catalog=00000000-0000-0000-0000-000000000000"],
    [404, "/fdsnws/dataselect/1/query"],
  ])("%i is the answer to %s, as text", async (expected, path) => {
    const { status, head, body } = await raw(path.replaceAll("ID", id));
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
    const { status, head } = await raw(`/api/catalogues/${id}/${path}`);
    expect([status, /content-type: (.*)/i.exec(head)?.[1]]).toEqual([
      404,
      `${type}; charset=utf-8`,
    ]);
  });

  test("what cannot be decoded, or is beyond all lengths, is refused", async () => {
    for (const path of [
      `${base}/query%`,
      `${base}/query%zz`,
      `/api/share/${"x".repeat(201)}/fdsnws/event/1/query`,
      `/api/catalogues/${"x".repeat(5_000)}/fdsnws/event/1/query`,
      `${base}/query?eventid=${"x".repeat(20_000)}`,
    ]) {
      const { status } = await raw(path);
      expect([path.slice(0, 80), status]).toEqual([
        path.slice(0, 80),
        expect.toBeOneOf([400, 404, 414, 431]),
      ]);
    }
  });

  test("bytes beyond ASCII in an address are read as UTF-8 or refused", async () => {
    const { status, body } = await raw(`${base}/query?contributor=Zürich🌏&format=csv`);
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
        const { status, head, body } = await raw(`${base}/${name}`, method);
        expect([name, status]).toEqual([name, 405]);
        expect(head).toMatch(/\r\nallow: GET, HEAD, OPTIONS(?:\r\n|$)/i);
        expect(body).toMatch(ERROR_TEXT);
      }
    },
  );

  test("HEAD has the head of GET and no body", async () => {
    for (const name of [...ALL, "query?format=text", "query?minmagnitude=9.9", "query?limit=x"]) {
      const [got, asked] = [await raw(`${base}/${name}`), await raw(`${base}/${name}`, "HEAD")];
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
    const path = `${base}/query?format=text`;
    const tag = form.replace("TAG", (await guest.head(path)).headers.get("etag") ?? "");
    const answer = await guest.get(path, { "if-none-match": tag });
    expect(answer.status).toBe(expected);
    if (expected === 304) expect(answer.body).toBe("");
  });

  test("a range is not served, and Accept chooses nothing", async () => {
    const whole = await guest.get(`${base}/query?format=text`);
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
      const answer = await guest.get(
        `${base}/query?format=text`,
        headers as Record<string, string>,
      );
      expect([headers, answer.status, answer.body]).toEqual([headers, 200, whole.body]);
    }
  });

  test("documents take no parameters", async () => {
    for (const name of ALL.filter((name) => !/^(?:query|count)/.test(name))) {
      const answer = await guest.get<string>(`${base}/${name}?limit=1`);
      expect([name, answer.status]).toEqual([name, 400]);
      expect(answer.body).toMatch(ERROR_TEXT);
    }
  });
});

describe("the root", () => {
  test("a tag of one catalogue is none of another that is chosen later", async () => {
    const name = "Chosen";
    const first = await createCatalogue(editor, { name, is_public: true });
    const path = `/fdsnws/event/1/query?catalog=${name}&format=text`;
    const before = await guest.get(path);
    const tag = before.headers.get("etag") ?? "";
    expect((await guest.get(path, { "if-none-match": tag })).status).toBe(304);
    await editor.send("DELETE", `/api/catalogues/${first.id}`);
    await createCatalogue(editor, { name, is_public: true });
    expect((await guest.get(path, { "if-none-match": tag })).status).toBe(200);
  });
});

describe("a share", () => {
  async function shareOf(catalogue: string): Promise<string> {
    const path = `/api/catalogues/${catalogue}/shares`;
    const { body } = await editor.send<{ share: { url: string } }>("POST", path, {});
    return new URL(body.share.url).pathname.split("/").at(-1) ?? "";
  }

  test("a token opens nothing when it is changed, and of other catalogues nothing at all", async () => {
    const [mine, other] = [await createCatalogue(editor), await createCatalogue(editor)];
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
      const { status, body } = await raw(`/api/share/${changed}/events`);
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
      const { status } = await raw(path);
      expect([path, status]).toEqual([path, expect.toBeOneOf([204, 400, 404])]);
    }
    const own = `/api/catalogues/${mine.id}/events`;
    expect((await guest.get(own, { authorization: `Bearer ${token}` })).status).toBe(401);
    expect((await guest.get(own, { cookie: `session=${token}` })).status).toBe(401);
    expect((await guest.get(own, { referer: `/api/share/${token}` })).status).toBe(401);
  });

  test("what is answered below a share is stored nowhere, whatever the answer", async () => {
    const { id: hidden } = await createCatalogue(editor);
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
      const { head } = await raw(`/api/share/${token}/${path}`);
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
    const { status, body } = await raw(`/api/ogc/collections/${id}/items?${query}`);
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
    expect([path, (await raw(path.replaceAll("ID", id))).status]).toEqual([path, 404]);
  });
});
