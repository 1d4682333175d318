import { beforeAll, describe, expect, test } from "vitest";
import { EXPORT_FORMATS, type ExportFormat } from "#contracts/http/exports.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { readParquet } from "../../support/columnar.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { sharedService } from "../../support/service.ts";

const FORMATS = Object.keys(EXPORT_FORMATS) as ExportFormat[];
const EVENTS = [...generateEvents(11, 300)];

const service = sharedService();
const client = service.client("editor");
let id = "";
beforeAll(async () => {
  ({ id } = await createCatalogue(client, { name: "Cook Strait", events: EVENTS }));
});

const exported = (query: string, headers?: Record<string, string>) =>
  client.get<string>(`/api/catalogues/${id}/export${query}`, headers);

/** Our ids of the events of a CSV, in its order. */
const idsOf = (csv: string) =>
  csv
    .split("\r\n")
    .slice(1, -1)
    .map((line) => line.slice(0, line.indexOf(",")));

describe("an export", () => {
  test("is a file with its type, its name and its number of events, described by HEAD too, and 304 to who has it", async () => {
    const empty = (await createCatalogue(client, { events: [] })).id;
    for (const format of FORMATS) {
      const { contentType, extension } = EXPORT_FORMATS[format];
      const { status, headers } = await exported(`?format=${format}`);
      expect([format, status, headers.get("content-type")]).toEqual([format, 200, contentType]);
      const name = `attachment; filename="Cook Strait v1.${extension}"`;
      expect(headers.get("content-disposition")).toBe(name);
      expect(headers.get("x-export-event-count")).toBe("300");
      expect(headers.get("etag")).toBe('"1"');
      const none = await client.get(`/api/catalogues/${empty}/export?format=${format}`);
      expect([none.status, none.headers.get("x-export-event-count")]).toEqual([200, "0"]);
    }
    const known = await exported("?format=json", { "if-none-match": '"1"' });
    expect([known.status, known.body]).toEqual([304, ""]);
    const { status, headers, body } = await client.head(`/api/catalogues/${id}/export`);
    expect([status, body, headers.get("x-export-event-count")]).toEqual([200, "", "300"]);
  });

  test("has the format that is asked for, else the one that is accepted, else CSV", async () => {
    for (const [accept, format] of [
      [undefined, "csv"],
      ["*/*", "csv"],
      ["text/csv", "csv"],
      ["application/json", "json"],
      ["application/geo+json, application/json;q=0.5", "geojson"],
      ["application/json;q=0.2, application/vnd.google-earth.kml+xml", "kml"],
      ["application/xml", "quakeml"],
      ["text/plain", "text"],
      ["application/vnd.apache.parquet", "parquet"],
      ["application/vnd.apache.arrow.stream, text/csv;q=0.5", "arrow"],
      ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "csv"],
      ["image/png", "csv"],
      ["nonsense;;;", "csv"],
    ] as const) {
      const { headers } = await exported("", accept === undefined ? {} : { accept });
      const { contentType } = EXPORT_FORMATS[format];
      expect([accept, headers.get("content-type")]).toEqual([accept, contentType]);
      expect(headers.get("vary")).toContain("Accept");
    }
    const { headers } = await exported("?format=kml", { accept: "text/csv" });
    expect(headers.get("content-type")).toBe(EXPORT_FORMATS.kml.contentType);
  });

  test("with filters has the events of the filtered list, in its order", async () => {
    for (const query of [
      "",
      "minMagnitude=3",
      "maxDepth=20&minDepth=5",
      "startTime=2017-01-01&endTime=2019-06-30T12:00:00Z",
      "minLatitude=-42&maxLatitude=-38&minLongitude=170&maxLongitude=176",
      "minLongitude=177&maxLongitude=-170",
      "latitude=-41&longitude=174&maxRadiusKm=150&minRadiusKm=20",
      "magnitudeType=ml,mw&evaluationStatus=reviewed,final&minUsedStationCount=10",
      "minMagnitude=9",
      "orderBy=magnitude",
      "orderBy=time-asc&minMagnitude=2.5",
      "orderBy=magnitude-asc&maxAzimuthalGap=150",
    ]) {
      const { body, headers } = await exported(`?${query}`);
      const { body: list } = await client.get<{ events: { id: string }[]; count: number }>(
        `/api/catalogues/${id}/events/filtered?${query}`,
      );
      const ids = list.events.map((event) => event.id);
      expect(idsOf(body), query).toEqual(ids);
      expect(headers.get("x-export-event-count")).toBe(String(list.count));
      const path = `/api/catalogues/${id}/export?format=parquet&${query}`;
      const parquet = await (await client.stream(path)).arrayBuffer();
      const { rows } = await readParquet(new Uint8Array(parquet));
      expect(
        rows.map((row) => row["id"]),
        query,
      ).toEqual(ids);
    }
  });

  test("as of a version is the catalogue as it stood then, and the latest without", async () => {
    const { id: edited } = await createCatalogue(client, { events: EVENTS.slice(0, 5) });
    const path = `/api/catalogues/${edited}`;
    const before = await client.get<string>(`${path}/export`);
    const more = { events: EVENTS.slice(5, 9) };
    await client.send("POST", `${path}/events`, more);
    await client.send("DELETE", `${path}/events/${idsOf(before.body)[0]}`);
    const old = await client.get<string>(`${path}/export?asOf=1`);
    expect(old.body).toBe(before.body);
    expect(old.headers.get("etag")).toBe('"1"');
    expect(old.headers.get("content-disposition")).toContain("v1.csv");
    const now = await client.get<string>(`${path}/export`);
    expect(idsOf(now.body)).toHaveLength(8);
    expect(now.headers.get("etag")).toBe('"3"');
  });

  test("is refused by name of the parameter, of what is not there, and to guests", async () => {
    for (const [query, name] of [
      ["format=xlsx", "format"],
      ["limit=10", "limit"],
      ["cursor=x", "cursor"],
      ["minMagnitude=5&maxMagnitude=4", "minMagnitude"],
      ["latitude=5", "latitude"],
      ["minDepth=deep", "minDepth"],
      ["asOf=yesterday", "asOf"],
    ] as const) {
      expectRefusal(await exported(`?${query}`), "VALIDATION_ERROR", name);
    }
    for (const query of ["?asOf=99", "?asOf=2001-01-01"]) {
      expectRefusal(await exported(query), "NOT_FOUND");
    }
    const { id: open } = await createCatalogue(client, { is_public: true });
    const guest = await service.loginAs("guest");
    expectRefusal(await guest.get(`/api/catalogues/${open}/export`), "UNAUTHENTICATED");
  });

  test("guards texts that a spreadsheet would run", async () => {
    const region = '=HYPERLINK("http://evil.example","x")';
    const events = [seismicEvent({ region, author: "+1", agency_id: "@a", magnitude: -1 })];
    const { id: formulas } = await createCatalogue(client, { events });
    const { body } = await client.get<string>(`/api/catalogues/${formulas}/export`);
    expect(body).toContain(`"'=HYPERLINK(""http://evil.example"",""x"")"`);
    expect(body).toContain(",'@a,'+1,");
    expect(body).toContain(",-1,");
  });
});
