import { beforeAll, describe, expect, test } from "vitest";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { listEvents } from "../../support/api/one-event.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = service.client("editor");
const guest = service.client("guest");
/** A public catalogue of two versions, of three and four events. */
let id: string;
let base: string;

const EVENTS = [
  seismicEvent({
    ...{ source_id: "2016p858000", magnitude_type: "Mw", region: "Kaikōura" },
    ...{ agency_id: "WEL", event_type: "earthquake" },
  }),
  {
    ...{ source_id: "untyped", time: "2018-01-01T00:00:00Z", latitude: 10, longitude: 179.5 },
    ...{ magnitude: null, agency_id: "GFZ" },
  },
  {
    ...{ source_id: "blast", time: "2020-02-29T12:00:00.5Z", latitude: 50, longitude: -179.5 },
    ...{ depth: 0, magnitude: 2.1, magnitude_type: "ML" },
    ...{ agency_id: "WEL", event_type: "quarry blast" },
  },
];
const LATER = {
  ...{ source_id: "later", time: "2021-01-01T00:00:00Z", latitude: 0, longitude: 0, depth: 33 },
  ...{ magnitude: 5, agency_id: "NEIC", event_type: "earthquake" },
};

beforeAll(async () => {
  ({ id } = await createCatalogue(editor, { name: "Facade", events: EVENTS, is_public: true }));
  base = `/api/catalogues/${id}/fdsnws/event/1`;
  await editor.send("POST", `/api/catalogues/${id}/events`, { events: [LATER] });
});

type Feature = {
  readonly id: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly geometry: { readonly coordinates: readonly (number | null)[] };
};
type Features = { readonly metadata: Record<string, unknown>; readonly features: Feature[] };

const query = (parameters: string, from = base) => guest.get<string>(`${from}/query?${parameters}`);

/** The ids that a query selects, in the order of time. */
async function selected(parameters: string, from = base): Promise<string[]> {
  const answer = await query(`orderby=time-asc&format=text&${parameters}`, from);
  if (answer.status === 204) return [];
  expect([parameters, answer.status, answer.body.slice(0, 300)]).toEqual([
    parameters,
    200,
    expect.any(String),
  ]);
  const [, ...lines] = answer.body.trimEnd().split("\n");
  return lines.map((line) => line.split("|")[0] ?? "");
}

const detailOf = (eventId: string, from = `/api/catalogues/${id}`) =>
  `${from}/feed/v1.0/detail/${eventId}.geojson`;

const ALL = ["2016p858000", "untyped", "blast", "later"];

describe("selecting", () => {
  test("a query selects the events that satisfy it", async () => {
    for (const [parameters, expected] of [
      ["", ALL],
      ["minmagnitude=5", ["2016p858000", "later"]],
      ["MinMag=5", ["2016p858000", "later"]],
      ["minmagnitude=-3&maxmagnitude=10&mindepth=-100&maxdepth=1000", ALL],
      ["mindepth=0", ["2016p858000", "blast", "later"]],
      ["eventtype=earthquake", ["2016p858000", "untyped", "later"]],
      ["eventtype=unknown", ["untyped"]],
      ["eventtype=quarry%20blast", ["blast"]],
      ["minlongitude=170&maxlongitude=-170", ["2016p858000", "untyped", "blast"]],
      ["minlongitude=170&maxlongitude=190", ["2016p858000", "untyped", "blast"]],
      ["minlongitude=-190&maxlongitude=-170", ["2016p858000", "untyped", "blast"]],
      ["latitude=-42&longitude=173&maxradius=2", ["2016p858000"]],
      ["starttime=2018-01-01&endtime=2020-12-31", ["untyped", "blast"]],
      ["starttime=2018-01-01%2000:00:00&endtime=2018-01-01T24:00:00", ["untyped"]],
      ["contributor=WEL", ["2016p858000", "blast"]],
      ["contributor=nobody", []],
      ["catalog=facade", ALL],
      ["catalog=other", []],
      ["minmagnitude=99", []],
      ["eventid=blast", ["blast"]],
      ["eventid=blast,later", ["blast", "later"]],
      ["eventid=blast&minmagnitude=3", []],
      ["limit=2", ["2016p858000", "untyped"]],
      ["limit=2&offset=2", ["untyped", "blast"]],
      ["asof=1", ["2016p858000", "untyped", "blast"]],
      ["&&minmag=&", ALL],
    ] as const) {
      expect(await selected(parameters), parameters).toEqual(expected);
    }
  });

  test("an event is found by our id, with and without hyphens, and by its public id", async () => {
    const own = (await listEvents(editor, id, "eventType=quarry%20blast"))[0]?.id ?? "";
    const xml = (await query("eventid=blast")).body;
    const publicId = /<event publicID="([^"]+)"/.exec(xml)?.[1] ?? "";
    expect(publicId).not.toBe("");
    for (const eventid of [own, own.replaceAll("-", ""), publicId]) {
      expect(await selected(`eventid=${encodeURIComponent(eventid)}`), eventid).toEqual(["blast"]);
    }
  });

  test("updatedafter selects what later versions changed", async () => {
    const { body } = await guest.get<{ versions: { created_at: string }[] }>(
      `/api/catalogues/${id}/versions`,
    );
    const [, first] = body.versions;
    expect(await selected(`updatedafter=${first?.created_at}`)).toEqual(["later"]);
  });
});

describe("addresses", () => {
  test("a version and a time are bases of their own", async () => {
    const at = `/api/catalogues/${id}/versions/1/fdsnws/event/1`;
    expect(await selected("", at)).toEqual(["2016p858000", "untyped", "blast"]);
    const then = `/api/catalogues/${id}/at/29990101T000000Z/fdsnws/event/1`;
    expect(await selected("", then)).toEqual(ALL);
    for (const path of ["versions/99", "versions/x", "at/19990101T000000Z", "at/1999-01-01"]) {
      const answer = await query("", `/api/catalogues/${id}/${path}/fdsnws/event/1`);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.body).toMatch(/^Error 404: Not Found\n\n/);
    }
    const twice = await query("asof=1", at);
    expect([twice.status, twice.body]).toEqual([400, expect.stringContaining("asof")]);
  });

  test("the root reads the catalogue that catalog names", async () => {
    const root = "/fdsnws/event/1";
    expect(await selected(`catalog=${id}`, root)).toEqual(ALL);
    expect(await selected("catalog=FACADE", root)).toEqual(ALL);
    expect((await query("", root)).status).toBe(400);
    expect((await query("catalog=none", root)).status).toBe(404);
    const catalogs = await guest.get<string>(`${root}/catalogs`);
    expect(catalogs.body).toContain("<Catalog>Facade</Catalog>");
  });

  test("a share opens the service of its private catalogue", async () => {
    const hidden = await createCatalogue(editor, { events: EVENTS });
    const own = `/api/catalogues/${hidden.id}/fdsnws/event/1`;
    const refused = await query("", own);
    expect(refused.status).toBe(401);
    expect(refused.body).toMatch(/^Error 401: Unauthorized\n\n/);
    expect(refused.headers.get("www-authenticate")).toMatch(/^Digest .*, Basic /);
    const made = await editor.send<{ share: { url: string } }>(
      "POST",
      `/api/catalogues/${hidden.id}/shares`,
      {},
    );
    const { pathname } = new URL(made.body.share.url);
    for (const below of ["", "/versions/1", "/at/29990101T000000Z"]) {
      const shared = `${pathname}${below}/fdsnws/event/1`;
      expect(await selected("", shared)).toHaveLength(3);
      for (const name of ["count", "catalogs", "contributors", "version", "application.wadl"]) {
        const answer = await guest.get(`${shared}/${name}`);
        expect([name, answer.status]).toEqual([name, 200]);
        expect(answer.headers.get("cache-control")).toBe("no-store");
      }
    }
  });

  test("double slashes are one, and other paths of services are not found", async () => {
    expect((await guest.get(`${base.replace("/fdsnws", "//fdsnws")}//query`)).status).toBe(200);
    for (const path of [
      `/api/catalogues/${id}/fdsnws/station/1/application.wadl`,
      `/api/catalogues/${id}/fdsnws/dataselect/1/query`,
      `${base}/nothing`,
      `${base}/query.pdf`,
      "/fdsnws/",
    ]) {
      const answer = await guest.get<string>(path);
      expect([path, answer.status]).toEqual([path, path.endsWith("pdf") ? 400 : 404]);
      expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
    }
  });

  test("queryauth is allowed by no method, at any address of the service", async () => {
    const version = base.replace("/fdsnws", "/versions/1/fdsnws");
    for (const service of [base, version, "/fdsnws/event/1"]) {
      const path = `${service}/queryauth?limit=1`;
      for (const answer of [
        await guest.get<string>(path),
        await guest.send<string>("POST", path),
      ]) {
        expect([service, answer.status]).toEqual([service, 405]);
        expect(answer.headers.get("allow")).toBe("OPTIONS");
        expect(answer.body).toMatch(/^Error 405: Method Not Allowed\n\n/);
      }
    }
  });
});

describe("answers", () => {
  test("nothing is 204 in xml and text, an empty collection in other formats", async () => {
    for (const format of ["xml", "text"]) {
      const answer = await query(`minmagnitude=9.5&format=${format}`);
      expect([answer.status, answer.body]).toEqual([204, ""]);
      const asked = await query(`minmagnitude=9.5&nodata=404&format=${format}`);
      expect(asked.status).toBe(404);
      expect(asked.body).toMatch(/^Error 404: Not Found\n\n/);
    }
    const geojson = await guest.get<Features>(`${base}/query?minmagnitude=9.5&format=geojson`);
    expect([geojson.status, geojson.body.features]).toEqual([200, []]);
    const csv = await query("minmagnitude=9.5&format=csv");
    expect([csv.status, csv.body.trimEnd().split(/\r?\n/).length]).toEqual([200, 1]);
    expect((await query("minmagnitude=9.5&format=kml")).status).toBe(200);
    expect((await query("minmagnitude=9.5&format=json")).status).toBe(200);
  });

  test("ComCat's GeoJSON counts its events and leads to each by its id", async () => {
    const { body } = await guest.get<Features>(`${base}/query?format=geojson&orderby=time-asc`);
    expect(body.metadata).toMatchObject({ count: 4, status: 200, api: "1.2.0" });
    expect(body.features.map((feature) => feature.id)).toEqual(ALL);
    const [kaikoura, untyped] = body.features;
    expect(kaikoura?.properties).toMatchObject({ mag: 7.8, place: "Kaikōura", type: "earthquake" });
    expect(untyped?.geometry.coordinates).toEqual([179.5, 10, null]);
    const { pathname, search } = new URL(String(kaikoura?.properties["detail"]));
    const { body: one } = await guest.get<Feature>(pathname + search);
    expect(one).toMatchObject({ type: "Feature", id: "2016p858000" });
    expect(one.properties["products"]).toEqual({});
    expect(search).toBe("");
    for (const named of ["2016p858000", "later"]) {
      const { body: byId } = await guest.get<Feature>(detailOf(named));
      expect(byId.id).toBe(named);
    }
    expect((await guest.get(detailOf("none"))).status).toBe(404);
    const before = await guest.get(detailOf("later", `/api/catalogues/${id}/versions/1`));
    expect(before.status).toBe(404);
  });

  test("a path may name the format, and count is a number", async () => {
    const { body } = await guest.get<Features>(`${base}/query.geojson?limit=1`);
    expect(body.metadata["count"]).toBe(1);
    expect((await guest.get(`${base}/query.geojson?format=csv`)).status).toBe(400);
    for (const [parameters, count] of [
      ["", "4"],
      ["format=text&minmagnitude=5", "2"],
      ["limit=1", "1"],
      ["catalog=other", "0"],
    ] as const) {
      const { headers, body: text } = await guest.get<string>(`${base}/count?${parameters}`);
      const told = [headers.get("content-type"), text.trim()];
      expect(told, parameters).toEqual(["text/plain; charset=utf-8", count]);
    }
  });

  test("the lists name catalogue and agencies, the version is the standard's", async () => {
    const catalogs = await guest.get<string>(`${base}/catalogs`);
    expect(catalogs.body).toContain("<Catalogs><Catalog>Facade</Catalog></Catalogs>");
    const contributors = await guest.get<string>(`${base}/contributors`);
    expect(contributors.body.match(/<Contributor>\w+/g)).toHaveLength(3);
    expect((await guest.get<string>(`${base}/version`)).body).toBe("1.2.0");
    const wadl = await guest.get<string>(`${base}/application.wadl`);
    expect(wadl.body).toContain(`${base}/"`);
    const lists = await guest.get<{ contributors: string[] }>(`${base}/application.json`);
    expect(lists.body.contributors).toEqual(["GFZ", "NEIC", "WEL"]);
  });

  test("an error names the parameter, in the standard's text or as ComCat's JSON", async () => {
    const answer = await query("minmagnitude=big");
    expect(answer.status).toBe(400);
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
    expect(answer.body).toMatch(
      /^Error 400: Bad Request\n\nminmagnitude: .*\n\nUsage details are available from http:\/\/catalogues\.example\.org\/api\/docs\n\nRequest:\nhttp:\/\/catalogues\.example\.org\/.*minmagnitude=big\n\nRequest Submitted:\n20.*Z\n\nService version:\n1\.2\.0\n/,
    );
    const meant = await query("min_magnitude=5");
    expect(meant.body).toContain("do you mean minmagnitude?");
    const json = await guest.get<Features>(
      `${base}/query?minmagnitude=big&format=geojson&jsonerror=true`,
    );
    expect(json.status).toBe(200);
    expect(json.body).toMatchObject({ metadata: { status: 400 }, features: [] });
  });

  test("answers are cached by version, and open to scripts of every origin", async () => {
    const latest = await query("format=text");
    expect(latest.headers.get("cache-control")).toBe("public, no-cache");
    const tag = latest.headers.get("etag") ?? "";
    expect(tag).toMatch(/^"2-/);
    const again = await guest.get(`${base}/query?format=text`, { "if-none-match": tag });
    expect(again.status).toBe(304);
    const version = await query("format=text", `/api/catalogues/${id}/versions/1/fdsnws/event/1`);
    expect(version.headers.get("cache-control")).toBe("public, max-age=3600");
    const origin = { origin: "https://example.org" };
    for (const path of ["query?format=text", "query?minmagnitude=99", "query?limit=x", "version"]) {
      const { headers } = await guest.get(`${base}/${path}`, origin);
      expect([path, headers.get("access-control-allow-origin")]).toEqual([path, "*"]);
    }
    const preflight = await fetch(`${service.url}${base}/query`, {
      method: "OPTIONS",
      headers: { ...origin, "access-control-request-method": "GET" },
    });
    expect(preflight.status).toBe(204);
  });
});

describe("what caches keep", () => {
  const DOCUMENTS = ["version", "application.wadl", "catalogs", "contributors", "application.json"];
  const headOf = async (path: string, tag = "") => {
    const { status, headers } = await guest.get(path, tag === "" ? {} : { "if-none-match": tag });
    return { status, kept: headers.get("cache-control"), tag: headers.get("etag") ?? "" };
  };

  test("documents are revalidated by their tags, and stay at a version's address", async () => {
    for (const name of DOCUMENTS) {
      for (const path of [`${base}/${name}`, `/fdsnws/event/1/${name}`]) {
        const { status, kept, tag } = await headOf(path);
        expect([path, status, kept]).toEqual([path, 200, "public, no-cache"]);
        expect((await headOf(path, tag)).status).toBe(304);
      }
      const version = await headOf(`/api/catalogues/${id}/versions/1/fdsnws/event/1/${name}`);
      expect(version).toMatchObject({ status: 200, kept: "public, max-age=3600" });
    }
  });

  test("a catalogue that gets another name has other answers, since they show it", async () => {
    const { id: renamed } = await createCatalogue(editor, { name: "before", is_public: true });
    const paths = ["query?format=text", "query?format=geojson", "query?format=kml", "catalogs"].map(
      (path) => `/api/catalogues/${renamed}/fdsnws/event/1/${path}`,
    );
    const tags = await Promise.all(paths.map(async (path) => (await headOf(path)).tag));
    await editor.send("PATCH", `/api/catalogues/${renamed}`, { name: "after" });
    for (const [i, path] of paths.entries()) {
      expect([path, (await headOf(path, tags[i])).status]).toEqual([path, 200]);
      expect((await guest.get<string>(path)).body).not.toContain("before");
    }
  });
});
