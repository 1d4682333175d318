import { beforeAll, describe, expect, test } from "vitest";
import { EXPORT_FORMATS, type ExportFormat } from "#contracts/http/catalogue-export.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";

const FORMATS = Object.keys(EXPORT_FORMATS) as ExportFormat[];
const EVENTS = [...generateEvents(11, 300)];

const service = sharedService();
let client: ApiClient;
let id = "";
beforeAll(async () => {
  client = await service.loginAs("editor");
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
  test.each(FORMATS)(
    "an export as %s is a file with its type, its name and its number of events",
    async (format) => {
      const { contentType, extension } = EXPORT_FORMATS[format];
      const { status, headers } = await exported(`?format=${format}`);
      expect(status).toBe(200);
      expect(headers.get("content-type")).toBe(contentType);
      expect(headers.get("content-disposition")).toBe(
        `attachment; filename="Cook Strait v1.${extension}"`,
      );
      expect(headers.get("x-export-event-count")).toBe("300");
      expect(headers.get("etag")).toBe('"1"');
    },
  );

  test.each([
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
  ] as const)("an export for Accept %j is %s", async (accept, format) => {
    const { headers } = await exported("", accept === undefined ? {} : { accept });
    expect(headers.get("content-type")).toBe(EXPORT_FORMATS[format].contentType);
    expect(headers.get("vary")).toContain("Accept");
  });

  test("an export has the format that is asked for, whatever is accepted", async () => {
    const { headers } = await exported("?format=kml", { accept: "text/csv" });
    expect(headers.get("content-type")).toBe(EXPORT_FORMATS.kml.contentType);
  });

  test.each([
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
  ])("an export with ?%s has the events of the filtered list, in its order", async (query) => {
    const { body, headers } = await exported(`?${query}`);
    const { body: list } = await client.get<{ events: { id: string }[]; count: number }>(
      `/api/catalogues/${id}/events/filtered?${query}`,
    );
    expect(idsOf(body)).toEqual(list.events.map((event) => event.id));
    expect(headers.get("x-export-event-count")).toBe(String(list.count));
  });

  test("an export as of a version is the catalogue as it stood then, and the latest without", async () => {
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

  test("an export of a catalogue without events is a file without events", async () => {
    const { id: empty } = await createCatalogue(client, { events: [] });
    for (const format of FORMATS) {
      const { status, headers } = await client.get(
        `/api/catalogues/${empty}/export?format=${format}`,
      );
      expect([status, headers.get("x-export-event-count")]).toEqual([200, "0"]);
    }
  });

  test("an export that the client has already is 304", async () => {
    const { status, body } = await exported("?format=json", { "if-none-match": '"1"' });
    expect([status, body]).toEqual([304, ""]);
  });

  test("an export is described by HEAD without being made", async () => {
    const { status, headers, body } = await client.head(`/api/catalogues/${id}/export`);
    expect([status, body]).toEqual([200, ""]);
    expect(headers.get("x-export-event-count")).toBe("300");
  });

  test.each([
    ["format=xlsx", "format"],
    ["limit=10", "limit"],
    ["cursor=x", "cursor"],
    ["minMagnitude=5&maxMagnitude=4", "minMagnitude"],
    ["latitude=5", "latitude"],
    ["minDepth=deep", "minDepth"],
    ["asOf=yesterday", "asOf"],
  ])("an export with ?%s is 400 and names it", async (query, name) => {
    expectRefusal(await exported(`?${query}`), "VALIDATION_ERROR", name);
  });

  test("an export of what is not there is 404", async () => {
    expectRefusal(await exported("?asOf=99"), "NOT_FOUND");
    expectRefusal(await exported("?asOf=2001-01-01"), "NOT_FOUND");
    const unknown = "00000000-0000-4000-8000-000000000000";
    expectRefusal(await client.get(`/api/catalogues/${unknown}/export`), "NOT_FOUND");
  });

  test("an export takes a session even where everybody may read the events", async () => {
    const { id: open } = await createCatalogue(client, { is_public: true });
    const guest = await service.loginAs("guest");
    expectRefusal(await guest.get(`/api/catalogues/${open}/export`), "UNAUTHENTICATED");
  });

  test("an export of texts that a spreadsheet would run guards them", async () => {
    const region = '=HYPERLINK("http://evil.example","x")';
    const events = [seismicEvent({ region, author: "+1", agency_id: "@a", magnitude: -1 })];
    const { id: formulas } = await createCatalogue(client, { events });
    const { body } = await client.get<string>(`/api/catalogues/${formulas}/export`);
    expect(body).toContain(`"'=HYPERLINK(""http://evil.example"",""x"")"`);
    expect(body).toContain(",'@a,'+1,");
    expect(body).toContain(",-1,");
  });
});
