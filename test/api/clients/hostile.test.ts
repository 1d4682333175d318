import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { PARAMETER_NAMES } from "#contracts/fdsn/parameters.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { rawRequest } from "../../support/rude-client.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";

/** What the event service answers where it refuses. */
const ERROR_TEXT =
  /^Error (\d{3}): [A-Z][A-Za-z ]+\n\n[^\n]+\n\nUsage details are available from \S+\n\nRequest:\n[^\n]*\n\nRequest Submitted:\n\S+Z\n\nService version:\n1\.2\.0\n$/;

const service = sharedService();
const scene = {} as {
  readonly editor: ApiClient;
  readonly guest: ApiClient;
  /** Of a public catalogue of two events. */
  readonly id: string;
  /** Path of its event service. */
  readonly base: string;
  /** Asks for a path as it stands. */
  readonly raw: (path: string, method?: string) => ReturnType<typeof rawRequest>;
};
beforeAll(async () => {
  const editor = await service.loginAs("editor");
  const events = [seismicEvent({ source_id: "one" }), seismicEvent({ magnitude: null })];
  const { id } = await createCatalogue(editor, { events, is_public: true });
  Object.assign(scene, {
    editor,
    guest: createApiClient(service.url),
    id,
    base: `/api/catalogues/${id}/fdsnws/event/1`,
    raw: (path: string, method = "GET") => rawRequest(service.url, { method, path }),
  });
});

const MANY_NINES = "9".repeat(4_000);

/** Without what the unit tests of queries refuse: encodings, repetitions, names and values of attackers. */
const MALFORMED = [
  `limit=-${MANY_NINES}`,
  `minmagnitude=1e${MANY_NINES}`,
  `minmagnitude=${MANY_NINES}`,
  `starttime=2020-01-01T00:00:00.${"x".repeat(100)}`,
  ...`
    limit=0x10 limit=%31%00 limit=%D9%A1 limit=1&limit=1 limit=1&LIMIT=1 limit=1&%6cimit=1
    start=2020-01-01&starttime=2020-01-01 offset[]=1 offset[$gt]=1 minmagnitude=--1
    minmagnitude=1;2 minmagnitude=%C0%AF minmagnitude=%ED%A0%80 minmagnitude=%
    minmagnitude=%u0031 minmagnitude=' minmagnitude=1)%20or%20(1=1 minlatitude=90.0000001
    maxlongitude=1e10 latitude=0&longitude=0&maxradius=181
    latitude=0&longitude=0&maxradius=1&maxradiuskm=5 starttime=now endtime=9999-12-31T24:00:00
    starttime=0001-01-01T00:00:00%2B14:00 starttime=+012020-01-01 starttime=10000-01-01
    starttime=0000-00-00 starttime=%202020-01-01%20;%20drop%20table asof=1.5
    eventtype=earthquake,nonsense magnitudetype=M%00 eventid=, eventid=a%00b catalog=%00
    contributor=%FF%FE orderby=random() orderby=time%20desc nodata=0404 format=xml,text
    format=../../etc/passwd includeallorigins=1 unknown=1 min%20magnitude=1 minmagnitude%20=1
    minmagnitude%00=1 %00=1 = =1 ?=minmagnitude __proto__=1 __proto__[x]=1 toString
    %E2%80%AEminmagnitude=1 m%C3%ACnmagnitude=1 m%C4%B1nmagnitude=1 %F0%9F%8C%8F=1
    a=1%0d%0aX-Injected:%201 limit=%0d%0a%0d%0aError%20200:%20OK <script>alert(1)</script>
    minmagnitude=<script> callback=alert jsonerror=true&limit=0 jsonerror=2&format=geojson
  `
    .trim()
    .split(/\s+/),
];

describe("a query", () => {
  test("that is malformed is refused in the standard's error text, as ComCat's JSON where that is asked for", async () => {
    for (const query of MALFORMED) {
      const path = `${scene.base}/query?${query}`;
      const { status, head, body } = await scene.raw(path);
      expect([query, status, ERROR_TEXT.exec(body)?.[1]]).toEqual([query, 400, "400"]);
      expect(head).toMatch(/\r\ncontent-type: text\/plain; charset=utf-8(?:\r\n|$)/i);
      expect(head).toMatch(/\r\naccess-control-allow-origin: \*(?:\r\n|$)/i);
      expect(head).not.toMatch(/injected/i);
      if (query.startsWith("jsonerror")) continue;
      const json = await scene.raw(`${path}&format=geojson&jsonerror=true`);
      expect([query, json.status, JSON.parse(json.body).metadata.status]).toEqual([
        query,
        200,
        400,
      ]);
    }
  });

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
        const { status } = await scene.guest.get(`${scene.base}/${method}?${query}`);
        expect([200, 204, 400, 404]).toContain(status);
      }),
      { numRuns: runs(500) },
    );
  });

  test("with values that are allowed is answered, however large they are", async () => {
    for (const query of [
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
    ]) {
      for (const method of ["query", "count"]) {
        const { status, body } = await scene.guest.get(`${scene.base}/${method}?${query}`);
        expect([status, body]).toEqual([expect.toBeOneOf([200, 204]), expect.anything()]);
      }
    }
    for (const query of ["asof=99999999999999999999", "asof=0", "asof=0001-01-01"]) {
      expect((await scene.guest.get(`${scene.base}/query?${query}`)).status, query).toBe(404);
    }
  });
});

describe("odd paths", () => {
  test("are answered as text", async () => {
    for (const [expected, path] of [
      [404, "C/fdsnws/event/1/query/"],
      [404, "C/fdsnws/event/1/"],
      [404, "C/fdsnws/event/1"],
      [404, "C/fdsnws/event/2/query"],
      [404, "C/fdsnws/event/1/QUERY"],
      [404, "C/fdsnws/event/1/query%2fcount"],
      [404, "C/fdsnws/event/1/../1/query"],
      [404, "C/fdsnws/event/1/%2e%2e/1/query"],
      [404, "C/fdsnws/event/1/query%00"],
      [404, "C/fdsnws/event/1/query;limit=1"],
      [404, "/api/catalogues/ID%00/fdsnws/event/1/query"],
      [404, "/api/catalogues/ID'/fdsnws/event/1/query"],
      [404, "/api/catalogues/*/fdsnws/event/1/query"],
      [404, "C/versions/1e0/fdsnws/event/1/query"],
      [404, "C/versions/-1/fdsnws/event/1/query"],
      [404, "C/versions/0/fdsnws/event/1/query"],
      [404, "C/versions/999999999999/fdsnws/event/1/query"],
      [404, "C/versions/1%2f/fdsnws/event/1/query"],
      [404, "C/at/00000000T000000Z/fdsnws/event/1/query"],
      [404, "C/at/20240230T000000Z/fdsnws/event/1/query"],
      [404, "C/at/99999999T999999Z/fdsnws/event/1/query"],
      [404, "C/versions/1/at/29990101T000000Z/fdsnws/event/1/query"],
      [404, "/api/share/fdsnws/event/1/query"],
      [404, "/api/share//fdsnws/event/1/query"],
      [404, "/api/share/%2e%2e/fdsnws/event/1/query"],
      [404, `/api/share/${"x".repeat(199)}/fdsnws/event/1/query`],
      [400, "C/fdsnws/event/1/query.%2e%2e"],
      [400, "C/fdsnws/event/1/query.__proto__"],
      [400, "/fdsnws/event/1/query"],
      [404, "/fdsnws/event/1/query?catalog=%27"],
      [401, "/fdsnws/event/1/query?catalog=00000000-0000-0000-0000-000000000000"],
      [404, "/fdsnws/dataselect/1/query"],
    ] as const) {
      const sent = path.replace(/^C/, "/api/catalogues/ID").replaceAll("ID", scene.id);
      const { status, head, body } = await scene.raw(sent);
      expect([path, status]).toEqual([path, expected]);
      expect(head).toMatch(/\r\ncontent-type: text\/plain/i);
      expect(body).toMatch(ERROR_TEXT);
    }
    for (const [path, type] of [
      // It means an address of the service, so the error is the service's.
      ["fdsnws%2fevent%2f1%2fquery", "text/plain"],
      ["fdsnws\\\\event\\\\1\\\\query", "application/json"],
      ["fdsnws%5cevent", "application/json"],
    ] as const) {
      const { status, head } = await scene.raw(`/api/catalogues/${scene.id}/${path}`);
      const told = /content-type: (.*)/i.exec(head)?.[1];
      expect([status, told]).toEqual([404, `${type}; charset=utf-8`]);
    }
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

  test("other methods are not allowed on any document of the service", async () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "MKCOL"]) {
      for (const name of ALL) {
        const { status, head, body } = await scene.raw(`${scene.base}/${name}`, method);
        expect([method, name, status]).toEqual([method, name, 405]);
        expect(head).toMatch(/\r\nallow: GET, HEAD, OPTIONS(?:\r\n|$)/i);
        expect(body).toMatch(ERROR_TEXT);
      }
    }
  });

  test("If-None-Match compares tags weakly, and takes anything", async () => {
    const path = `${scene.base}/query?format=text`;
    const tag = (await scene.guest.head(path)).headers.get("etag") ?? "";
    for (const same of [tag, `W/${tag}`, `"0", ${tag}`, "*"]) {
      const answer = await scene.guest.get(path, { "if-none-match": same });
      expect([same, answer.status, answer.body]).toEqual([same, 304, ""]);
    }
    for (const other of ['"1"', "1", '"', "\xff"]) {
      const { status } = await scene.guest.get(path, { "if-none-match": other });
      expect([other, status]).toEqual([other, 200]);
    }
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
