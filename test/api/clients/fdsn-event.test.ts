import { beforeAll, describe, expect, test } from "vitest";
import { compactEventId } from "#contracts/seismic-event/ids.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { merge } from "../../support/api/merges.ts";
import { listEvents } from "../../support/api/one-event.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
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

/** The seconds of the origins that an answer has, its own first. */
async function originsFor(client: ApiClient, base: string, flags = "includeallorigins=true") {
  const { body } = await client.get<string>(`${base}/fdsnws/event/1/query?${flags}`);
  const origins = body.matchAll(/<origin .*?<value>[^<]*:5(\d)\.346Z<\/value>/gs);
  return [...origins].map(([, place]) => Number(place));
}

const magnitudes = async (client: ApiClient, base: string) => {
  const query = `${base}/fdsnws/event/1/query?includeallmagnitudes=true`;
  const { body } = await client.get<string>(query);
  return [...body.matchAll(/<mag><value>([\d.]+)/g)].map(([, value]) => Number(value));
};

test("all origins are those of the sources as they were merged that the caller may read, whatever was kept", async () => {
  const editor = await service.loginAs("editor");
  const viewer = await service.loginAs("viewer");
  const guest = createApiClient(service.url);
  /** The same earthquake as each has it: its second tells the origins apart. */
  const made = [true, false, true].map((is_public, place) => {
    const event = seismicEvent({
      time: `2016-11-13T11:02:5${place}.346Z`,
      magnitude: 7 + place / 10,
      magnitude_type: "Mw",
      source_id: `of${place}`,
    });
    return createCatalogue(editor, { events: [event], is_public });
  });
  const sources = (await Promise.all(made)).map(({ id }, i) => ({ id, source: String(i) }));
  const config = { mergeStrategy: "priority", priority: "0", timeThreshold: 20 } as const;
  const { catalogueId: id, duplicateGroups } = await merge(editor, sources, config);
  expect(duplicateGroups).toBe(1);
  const base = `/api/catalogues/${id}`;
  await editor.send("PATCH", base, { is_public: true });

  expect(await originsFor(guest, base, "")).toEqual([0]);
  expect(await originsFor(guest, base)).toEqual([0, 2]);
  expect(await originsFor(viewer, base)).toEqual([0, 1, 2]);
  expect(await originsFor(guest, base, "includeallmagnitudes=true")).toEqual([0]);
  expect(await magnitudes(guest, base)).toEqual([7, 7.2]);
  expect(await magnitudes(viewer, base)).toEqual([7, 7.1, 7.2]);
  const { body } = await editor.send<{ share: { url: string } }>("POST", `${base}/shares`, {});
  expect(await originsFor(guest, new URL(body.share.url).pathname)).toEqual([0, 2]);
  // No cache shares an answer with sources, nor is it taken for one without.
  for (const below of ["", "/versions/1"]) {
    for (const client of [guest, viewer]) {
      for (const flag of ["includeallorigins", "includeallmagnitudes"]) {
        const path = `${base}${below}/fdsnws/event/1/query?${flag}=true`;
        const { status, headers } = await client.get(path, { "if-none-match": '"1"' });
        const head = [status, headers.get("cache-control"), headers.get("etag")];
        expect(head, path).toEqual([200, "private, no-cache", null]);
      }
    }
  }

  const [, hidden = "", open = ""] = sources.map((source) => source.id);
  const publish = (is_public: boolean) =>
    editor.send("PATCH", `/api/catalogues/${hidden}`, { is_public });
  await publish(true);
  expect(await originsFor(guest, base)).toEqual([0, 1, 2]);
  await publish(false);
  expect(await originsFor(guest, base)).toEqual([0, 2]);
  const [event] = await listEvents(editor, open);
  const path = `/api/catalogues/${open}/events/${event?.id}`;
  await editor.send("PATCH", path, { time: "2016-11-13T11:02:59.346Z" });
  expect(await originsFor(guest, base)).toEqual([0, 2]);
  await editor.send("DELETE", path);
  expect(await originsFor(guest, base)).toEqual([0, 2]);
  await editor.send("DELETE", `/api/catalogues/${open}`);
  expect(await originsFor(guest, base)).toEqual([0]);
  expect(await originsFor(viewer, base)).toEqual([0, 1]);
});

describe("what is listed", () => {
  const NAME = "North | South  of  Cook\u00a0Strait";
  let id = "";
  beforeAll(async () => {
    const editor = await service.loginAs("editor");
    const events = [
      { id: "a", latitude: 90, depth: null },
      { id: "b", latitude: -90, agency_id: "A|B " },
      { id: "c", latitude: 0, agency_id: "a  b" },
      { id: "d", latitude: 0, longitude: 40, agency_id: "other" },
    ].map((event, i) =>
      seismicEvent({ time: `2020-01-0${i + 1}T00:00:00Z`, longitude: 10, ...event }),
    );
    ({ id } = await createCatalogue(editor, { name: NAME, is_public: true, events }));
  });

  type Collection = {
    readonly features: readonly { id: string; geometry: { coordinates: (number | null)[] } }[];
    readonly metadata?: { readonly totalCount?: number };
    readonly links?: readonly { readonly rel: string; readonly href: string }[];
  };

  const query = async (parameters: string) => {
    const path = `/api/catalogues/${id}/fdsnws/event/1/query?${parameters}`;
    return (await guest.get<Collection>(path)).body;
  };
  const idsOf = ({ features }: Collection) => features.map((feature) => feature.id).toSorted();
  const sourceIds = async (parameters: string) =>
    idsOf(await query(`format=geojson&${parameters}`));
  /** As a reader of XML takes texts: blanks as one. */
  const listed = (xml: string, item: string) =>
    [...xml.matchAll(new RegExp(`<${item}>(.*?)</${item}>`, "g"))].map(([, text = ""]) =>
      text.replaceAll(/\s+/g, " "),
    );

  test("EMSC's JSON tells on every page how many events match", async () => {
    const pages = ["", "limit=2", "limit=2&offset=4", "offset=9", "limit=1&maxlatitude=50"];
    const answers = await Promise.all(pages.map((page) => query(`format=json&${page}`)));
    expect(
      answers.map(({ metadata, features }) => [metadata?.totalCount, features.length]),
    ).toEqual([
      [4, 4],
      [4, 2],
      [4, 1],
      [4, 0],
      [3, 1],
    ]);
  });

  test("a name selects as it is listed, whatever bars and blanks it has", async () => {
    const base = `/api/catalogues/${id}/fdsnws/event/1`;
    const listAt = async (path: string, item: string) =>
      listed(await (await guest.stream(path)).text(), item);
    const contributors = await listAt(`${base}/contributors`, "Contributor");
    expect(contributors.length).toBeGreaterThan(1);
    expect(await sourceIds("contributor=A%20B")).toHaveLength(2);
    for (const contributor of contributors) {
      const ids = await sourceIds(`contributor=${encodeURIComponent(contributor)}`);
      expect(ids.length).toBeGreaterThan(0);
    }
    for (const place of [base, "/fdsnws/event/1"]) {
      const catalogs = await listAt(`${place}/catalogs`, "Catalog");
      const catalog = catalogs.find((name) => name.startsWith("North ")) ?? "";
      const path = `${place}/query?format=geojson&catalog=${encodeURIComponent(catalog)}`;
      expect(idsOf((await guest.get<Collection>(path)).body)).toHaveLength(4);
    }
  });

  test("an unknown depth is null in a query's GeoJSON, and no coordinate in feeds and exports", async () => {
    const placesOf = ({ features }: Collection) => features.map((one) => one.geometry.coordinates);
    expect(placesOf(await query("format=geojson&minlatitude=80"))).toEqual([[10, 90, null]]);
    const editor = await service.loginAs("editor");
    const path = `/api/catalogues/${id}/export?format=geojson&minLatitude=80`;
    const exported = await (await editor.stream(path)).json();
    expect(placesOf(exported as Collection)).toEqual([[10, 90]]);
    const time = new Date().toISOString();
    const event = seismicEvent({ time, depth: null, latitude: 1, longitude: 2 });
    const young = await createCatalogue(editor, { is_public: true, events: [event] });
    const feed = `/api/catalogues/${young.id}/feed/v1.0/summary/all_hour.geojson`;
    expect(placesOf((await guest.get<Collection>(feed)).body)).toEqual([[2, 1]]);
  });

  test("a pole is inside every box that touches it", async () => {
    const counts = await Promise.all(
      [
        "minlongitude=100&maxlongitude=120",
        "minlatitude=80&minlongitude=100&maxlongitude=120",
        "maxlatitude=-80&minlongitude=170&maxlongitude=-170",
        "minlatitude=-80&maxlatitude=80&minlongitude=100&maxlongitude=120",
      ].map((box) => query(`format=json&${box}`)),
    );
    expect(counts.map(({ features }) => features.length)).toEqual([2, 1, 1, 0]);
  });

  test("the link self of a page of items answers the same items", async () => {
    const items = `/api/ogc/collections/${id}/items`;
    const answers = ["limit=2", "limit=4&datetime=2020-01-03T00:00:00Z/..", "bbox=170,-90,-170,90"];
    for (const parameters of answers) {
      const { body } = await guest.get<Collection>(`${items}?${parameters}`);
      const href = (rel: string, of = body) =>
        new URL(of.links?.find((link) => link.rel === rel)?.href ?? "http://none");
      const self = await guest.get<Collection>(href("self").pathname + href("self").search);
      expect(idsOf(self.body)).toEqual(idsOf(body));
      if (parameters !== "limit=2") continue;
      const next = href("next").pathname + href("next").search;
      const page = (await guest.get<Collection>(next)).body;
      expect(href("self", page).pathname + href("self", page).search).toBe(next);
    }
  });
});

describe("former ids", () => {
  /**
   * Version 1 has `kept`, `renamed`, `false` and `early`, version 2 no `early` any more. Guests read it from here on.
   * Version 3 calls `renamed` `again`, version 4 has no `false` any more, version 5 has another event by its id.
   */
  let id: string;
  const own = new Map<string, string>();

  const named = (source_id: string, magnitude: number) =>
    seismicEvent({ source_id, magnitude, agency_id: "WEL", event_type: "earthquake" });

  beforeAll(async () => {
    const events = [named("kept", 4), named("renamed", 5), named("false", 6), named("early", 3)];
    ({ id } = await createCatalogue(editor, { name: "Former", events }));
    await remember();
    const path = `/api/catalogues/${id}`;
    // The first version alone has it, and no guest reads that.
    await editor.send("DELETE", `${path}/events/${own.get("early")}`);
    await editor.send("PATCH", path, { is_public: true });
    await editor.send("PATCH", `${path}/events/${own.get("renamed")}`, { source_id: "again" });
    await editor.send("DELETE", `${path}/events/${own.get("false")}`);
    await editor.send("POST", `${path}/events`, { events: [named("false", 2)] });
    await remember("second ");
  });

  async function remember(prefix = ""): Promise<void> {
    const path = `/api/catalogues/${id}/events`;
    const { body } = await editor.get<{ events: { id: string; source_id: string }[] }>(path);
    for (const event of body.events) own.set(prefix + event.source_id, event.id);
  }

  const ask = (query: string, from = `/api/catalogues/${id}`, client = guest) =>
    client.get<string>(`${from}/fdsnws/event/1/query?${query}`);

  async function magnitudes(query: string, from?: string, client?: ApiClient): Promise<number[]> {
    const { status, body } = await ask(`orderby=magnitude&format=text&${query}`, from, client);
    if (status === 204) return [];
    expect(status, String(body)).toBe(200);
    const [, ...lines] = body.trimEnd().split("\n");
    return lines.map((line) => Number(line.split("|")[10]));
  }

  describe("ids that were", () => {
    test("an event is found by the id that it had, as it is now", async () => {
      expect(await magnitudes("eventid=renamed")).toEqual([5]);
      expect(await magnitudes("eventid=renamed,kept")).toEqual([5, 4]);
      expect(await magnitudes("eventid=renamed&minmagnitude=6")).toEqual([]);
      // Another event has that id now.
      expect(await magnitudes("eventid=false")).toEqual([2]);
      // Beside an event that is there, a removed one is left out.
      expect(await magnitudes(`eventid=kept,${own.get("false")}`)).toEqual([4]);
      // An earlier version knows nothing of later ones.
      const first = `/api/catalogues/${id}/versions/1`;
      expect(await magnitudes("eventid=again", first, editor)).toEqual([]);
      expect(await magnitudes("eventid=false", `/api/catalogues/${id}/versions/3`)).toEqual([6]);
      const { body, headers } = await ask("eventid=renamed&format=geojson");
      expect(body).toMatchObject({ type: "Feature", id: "again" });
      expect(headers.get("cache-control")).toBe("private, no-cache");
    });

    test("of a removed event the answer is 410, with the last version that has it and where its id leads", async () => {
      const gone = own.get("false") ?? "";
      const { status, body, headers } = await ask(`eventid=${gone}`);
      expect(status).toBe(410);
      expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
      const next = compactEventId(own.get("second false") ?? "");
      expect(body).toMatch(/^Error 410: Gone\n\n/);
      expect(body).toContain(
        `The event ${compactEventId(gone)} was removed in version 4; version 3 is`,
      );
      expect(body).toContain(`leads to the event ${next} now`);
      const [, then = ""] = /the last that has it: \S+?(\/api\S+) /.exec(body) ?? [];
      expect((await guest.get(then)).status).toBe(200);
      const json = await ask(`eventid=${gone}&format=geojson&jsonerror=true`);
      expect(json.body).toMatchObject({ metadata: { status: 410, error: /version 3/ } });
      const detail = await guest.get(`/api/catalogues/${id}/feed/v1.0/detail/${gone}.geojson`);
      expect(detail.status).toBe(410);
      const count = await guest.get(`/api/catalogues/${id}/fdsnws/event/1/count?eventid=${gone}`);
      expect([count.status, count.body]).toEqual([200, "0"]);
    });
  });

  const textOf = (body: unknown) => (typeof body === "string" ? body : JSON.stringify(body));

  describe("deleted events", () => {
    test("are found by their ids then, beside those that have the id now, and told by their mark", async () => {
      expect(await magnitudes(`eventid=${own.get("false")}&includedeleted=true`)).toEqual([6]);
      expect(await magnitudes("eventid=false&includedeleted=true")).toEqual([6, 2]);
      expect(await magnitudes("eventid=kept&includedeleted=only")).toEqual([]);
      for (const [format, mark] of [
        ["geojson", '"status":"deleted"'],
        ["csv", ",deleted,"],
        ["json", '"status":"deleted"'],
        ["xml", "<type>not existing</type>"],
        ["text", "|not existing\n"],
        ["kml", "not existing"],
        ["sc3ml", "<type>not existing</type>"],
      ] as const) {
        const only = await ask(`includedeleted=only&format=${format}`);
        expect(textOf(only.body), format).toContain(mark);
        const others = await ask(`format=${format}`);
        expect(textOf(others.body), format).not.toContain(mark);
      }
    });

    test("of versions that guests may not read, guests learn nothing, others do", async () => {
      const early = own.get("early") ?? "";
      for (const asked of ["early", early]) {
        expect((await ask(`eventid=${asked}`)).status).toBe(204);
        expect(await magnitudes(`eventid=${asked}&includedeleted=true`)).toEqual([]);
        expect((await ask(`eventid=${asked}`, undefined, editor)).status).toBe(410);
        expect(await magnitudes(`eventid=${asked}&includedeleted=true`, undefined, editor)).toEqual(
          [3],
        );
      }
      const answer = await ask("includedeleted=true", undefined, editor);
      expect(answer.headers.get("cache-control")).toBe("private, no-cache");
      expect(answer.headers.get("etag")).toBeNull();
    });

    test("a share reads them as its catalogue's readers do", async () => {
      const share = await editor.send<{ share: { url: string } }>(
        "POST",
        `/api/catalogues/${id}/shares`,
        {},
      );
      const base = new URL(share.body.share.url).pathname;
      expect(await magnitudes("includedeleted=only", base)).toEqual([6, 3]);
      expect((await ask("eventid=early", base)).status).toBe(410);
    });
  });
});
