import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PARAMETER_NAMES } from "#contracts/fdsn/parameters.ts";
import { runs } from "../../support/runs.ts";
import { ERROR_TEXT, useHostileScene } from "./hostile-scene.ts";

const scene = useHostileScene();

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
  "includedeleted=yes",
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
    const { status, head, body } = await scene.raw(`${scene.base}/query?${sent}`);
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
      const path = `${scene.base}/query?${sent}&format=geojson&jsonerror=true`;
      const { status, body } = await scene.raw(path);
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
        const { status } = await scene.guest.get(`${scene.base}/${method}?${query}`);
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
      const { status, body } = await scene.guest.get(`${scene.base}/${method}?${query}`);
      expect([status, body]).toEqual([expect.toBeOneOf([200, 204]), expect.anything()]);
    }
  });

  test.each(["asof=99999999999999999999", "asof=0", "asof=0001-01-01"])(
    "?%s names no version",
    async (query) => {
      expect((await scene.guest.get(`${scene.base}/query?${query}`)).status).toBe(404);
    },
  );
});
