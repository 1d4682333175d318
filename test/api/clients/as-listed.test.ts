import { beforeAll, expect, test } from "vitest";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const NAME = "North | South  of  Cook\u00a0Strait";
const guest = service.client("guest");
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
const sourceIds = async (parameters: string) => idsOf(await query(`format=geojson&${parameters}`));
/** As a reader of XML takes texts: blanks as one. */
const listed = (xml: string, item: string) =>
  [...xml.matchAll(new RegExp(`<${item}>(.*?)</${item}>`, "g"))].map(([, text = ""]) =>
    text.replaceAll(/\s+/g, " "),
  );

test("EMSC's JSON tells on every page how many events match", async () => {
  const pages = ["", "limit=2", "limit=2&offset=4", "offset=9", "limit=1&maxlatitude=50"];
  const answers = await Promise.all(pages.map((page) => query(`format=json&${page}`)));
  expect(answers.map(({ metadata, features }) => [metadata?.totalCount, features.length])).toEqual([
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
