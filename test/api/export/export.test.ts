import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { EXPORT_FORMATS, type ExportFormat } from "#contracts/http/exports.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { fileForm } from "../../support/api/file-form.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { createApiClient } from "../../support/api-client.ts";
import { anyRecord } from "../../support/arbitrary-record.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { columnValues, endsAsStream, readArrow, readParquet } from "../../support/columnar.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";
import { exportFile } from "../formats/file-round.ts";

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

/** The events of both columnar files, and those of the JSON export in the same form. */
async function exportedBoth(id: string) {
  const json = new TextDecoder().decode(await exportFile(client, id, "json"));
  const { events, catalogue } = JSON.parse(json) as { events: SeismicEvent[]; catalogue: object };
  const parquet = await readParquet(await exportFile(client, id, "parquet"));
  const arrow = readArrow(await exportFile(client, id, "arrow"));
  return { parquet, arrow, catalogue, expected: events.map(columnValues) };
}

test("exports as Parquet and Arrow have every value that the export as JSON has", async () => {
  const anyEvents = fc
    .uniqueArray(anyRecord, { maxLength: 12, selector: (r) => r.source_id ?? Symbol("none") })
    .map((records) => records.map(({ source_events: _, ...record }) => record));
  await fc.assert(
    fc.asyncProperty(anyEvents, async (events) => {
      const { id } = await createCatalogue(client, { events });
      const { parquet, arrow, expected } = await exportedBoth(id);
      expect(parquet.rows).toEqual(expected);
      expect(arrow.rows).toEqual(expected);
    }),
    { numRuns: runs(12), endOnFailure: true },
  );
});

test("exports of more events than a piece has as Parquet and Arrow have all of them in the order of JSON", async () => {
  const { id } = await createCatalogue(client, { events: [...generateEvents(5, 8_500)] });
  const { parquet, arrow, expected, catalogue } = await exportedBoth(id);
  expect(parquet.rows).toHaveLength(8_500);
  for (const [i, event] of expected.entries()) {
    if (i % 53 > 0) continue;
    expect(parquet.rows[i]).toEqual(event);
    expect(arrow.rows[i]).toEqual(event);
  }
  expect(JSON.parse(parquet.pairs["catalogue"] ?? "")).toEqual(catalogue);
  expect(arrow.schema.metadata.get("version")).toBe("1");
});

test("exports of no event and of one as Parquet and Arrow are whole files, and none to upload", async () => {
  for (const count of [0, 1]) {
    const events = Array.from({ length: count }, () =>
      // Digits beyond microseconds are rounded as they come in, before 1970 too.
      seismicEvent({
        time: "1931-02-02T22:46:59.123456789Z",
        depth: null,
        region: "Hawke’s Bay 海",
      }),
    );
    const { id } = await createCatalogue(client, { events });
    const { parquet, arrow, expected } = await exportedBoth(id);
    expect(parquet.rows).toEqual(expected);
    expect(arrow.rows).toEqual(expected);
    expect(parquet.rows.map((row) => row["time"])).toEqual(
      events.map(() => BigInt(Date.UTC(1931, 1, 2, 22, 46, 59)) * 1_000n + 123_457n),
    );
    expect(endsAsStream(await exportFile(client, id, "arrow"))).toBe(true);
    for (const format of ["parquet", "arrow"] as const) {
      for (const fileName of [`x.${format}`, "x.csv"]) {
        const form = fileForm(await exportFile(client, id, format), { fileName });
        expectRefusal(await client.send("POST", "/api/upload", form), "UNSUPPORTED_FORMAT");
      }
    }
  }
});

describe("tables of objects", () => {
  type Row = Readonly<Record<string, unknown>>;

  async function tableOf(id: string, table: string, format: string): Promise<Uint8Array> {
    const path = `/api/catalogues/${id}/export?table=${table}&format=${format}`;
    const answer = await client.stream(path);
    expect(answer.status).toBe(200);
    return new Uint8Array(await answer.arrayBuffer());
  }

  async function rowsOf(id: string, table: string) {
    const text = new TextDecoder().decode(await tableOf(id, table, "json"));
    return JSON.parse(text) as { version: number; table: string; rows: Row[] };
  }

  async function rowsIn(id: string, table: string, format: "csv" | "parquet" | "arrow") {
    const content = await tableOf(id, table, format);
    if (format === "csv") return parse(Buffer.from(content), { columns: true }) as Row[];
    return (await (format === "parquet" ? readParquet : readArrow)(content)).rows;
  }

  const idsOf = (rows: readonly Row[]) => rows.map((row) => row["public_id"]);

  test("a catalogue of events without bulletins gives each row as an origin, and as a magnitude where it has one", async () => {
    const { id } = await createCatalogue(client, {
      events: [
        seismicEvent({ magnitude_type: "Mww", depth_uncertainty: 1.5, azimuthal_gap: 30 }),
        seismicEvent({ time: "2017-01-01T00:00:00Z", magnitude: null, agency_id: "WEL" }),
      ],
    });
    const { version, table, rows } = await rowsOf(id, "origins");
    expect([version, table]).toEqual([1, "origins"]);
    expect(rows).toMatchObject([
      { time: "2017-01-01T00:00:00Z", agency_id: "WEL", preferred: true },
      { depth: 15.1, depth_uncertainty: 1.5, azimuthal_gap: 30, preferred: true },
    ]);
    const magnitudes = await rowsOf(id, "magnitudes");
    expect(magnitudes.rows).toMatchObject([{ mag: 7.8, type: "Mww", preferred: true }]);
    expect(magnitudes.rows[0]?.["event_id"]).toBe(rows[1]?.["event_id"]);
    expect((await rowsOf(id, "picks")).rows).toEqual([]);
    const parquet = await readParquet(await tableOf(id, "origins", "parquet"));
    expect(parquet.rows).toEqual(await rowsIn(id, "origins", "arrow"));
    expect([parquet.pairs["table"], parquet.pairs["version"]]).toEqual(["origins", "1"]);
    for (const format of ["parquet", "arrow"] as const) {
      expect(idsOf(await rowsIn(id, "origins", format))).toEqual(idsOf(rows));
      expect(await rowsIn(id, "arrivals&minMagnitude=9.5", format)).toEqual([]);
    }
    const events = `/api/catalogues/${id}/events`;
    const path = `${events}/${rows[0]?.["event_id"]}/arrivals`;
    expect(await client.get(path)).toMatchObject({ status: 200, body: { version: 1, rows: [] } });
    expectRefusal(await client.get(`${events}/${id}/arrivals`), "NOT_FOUND");
    expectRefusal(await client.get(`${path}?asOf=7`), "NOT_FOUND");
  });

  test("a catalogue of events with bulletins gives every object of every bulletin as a row, in every format", async () => {
    const bulletins = ["a", "b"].map((name) => ({ bulletin: smallBulletin(name) }));
    const { id } = await createCatalogue(client, { events: [seismicEvent(), ...bulletins] });
    const path = `/api/catalogues/${id}`;
    for (const [table, count] of Object.entries({
      ...{ origins: 5, magnitudes: 5, station_magnitudes: 2, amplitudes: 2 },
      ...{ picks: 4, arrivals: 4, focal_mechanisms: 0 },
    })) {
      const { rows } = await rowsOf(id, table);
      expect([table, rows.length]).toEqual([table, count]);
      for (const format of ["csv", "parquet", "arrow"] as const) {
        expect(idsOf(await rowsIn(id, table, format)), `${table} ${format}`).toEqual(idsOf(rows));
      }
    }
    const { rows: arrivals } = await rowsOf(id, "arrivals");
    const eventId = arrivals[0]?.["event_id"];
    const ofEvent = arrivals.filter((row) => row["event_id"] === eventId);
    const { body } = await client.get(`${path}/events/${eventId}/arrivals`);
    expect(body).toEqual({ version: 1, rows: ofEvent });
    expect(ofEvent).toMatchObject([
      { phase: "P", station: "WEL", network: "NZ", residual: 0.25, preferred: true },
      { phase: "S", preferred: false },
    ]);
    const share = await client.send<{ share: { url: string } }>("POST", `${path}/shares`, {});
    const shared = `${new URL(share.body.share.url).pathname}/export?table=picks`;
    const answer = await createApiClient(service.url).stream(shared);
    expect(answer.headers.get("content-disposition")).toContain("v1.picks.csv");
    expect((await answer.text()).trim().split("\r\n")).toHaveLength(5);

    const more = { events: [{ bulletin: smallBulletin("c") }] };
    await client.send("POST", `${path}/events`, more);
    for (const [query, count] of [
      ["picks", 6],
      ["picks&asOf=1", 4],
      ["picks&minMagnitude=7", 0],
    ] as const) {
      expect((await rowsOf(id, query)).rows, query).toHaveLength(count);
    }
  });
});
