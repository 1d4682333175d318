import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { ScalarName } from "#contracts/http/events/event-columns.ts";
import { ATTRIBUTE_NAMES } from "#contracts/seismic-event/attributes.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { requireFewTexts } from "#infra/formats/packed/packed-texts.ts";
import type { PackedValues } from "#infra/formats/packed/packed-values.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { anyRecord } from "../../support/arbitrary-record.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { withClient } from "../../support/database-template.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import {
  type DecodedColumns,
  decodeColumns,
  packedValue,
} from "../../support/packed/decode-columns.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";

const ALL: readonly ScalarName[] = ["id", "time", ...ATTRIBUTE_NAMES];
const DEFAULT: ScalarName[] = ["id", "time", "latitude", "longitude", "depth", "magnitude"];

const service = sharedService();
const client = clientOf(service, "editor");
/** Of more events of an agency than a page of the list has. */
let large: string;
beforeAll(async () => {
  large = await pathOf([...generateEvents(11, 11_000)]);
});

async function pathOf(events: readonly unknown[]): Promise<string> {
  const { id } = await createCatalogue(client, { events });
  return `/api/catalogues/${id}/events`;
}

async function columnsOf(path: string, query = ""): Promise<DecodedColumns> {
  const answer = await client.stream(`${path}/columns?${query}`);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    200,
    "application/octet-stream",
  ]);
  return decodeColumns(new Uint8Array(await answer.arrayBuffer()));
}

type FilteredPage = { readonly events: SeismicEvent[]; readonly nextCursor?: string };

/** All events of the filtered list, by its cursor. */
async function filteredOf(path: string, query = ""): Promise<SeismicEvent[]> {
  const events: SeismicEvent[] = [];
  for (let next: string | undefined = query; next !== undefined; ) {
    const { body }: { body: FilteredPage } = await client.get(`${path}/filtered?${next}`);
    events.push(...body.events);
    next = body.nextCursor && `cursor=${body.nextCursor}`;
  }
  return events;
}

const valuesOf = (events: readonly SeismicEvent[], columns: readonly ScalarName[]) =>
  columns.map((name) => events.map((event) => packedValue(event, name)));

type JsonColumns = {
  readonly catalogue: string;
  readonly version: number;
  readonly count: number;
  readonly columns: readonly { readonly name: ScalarName; readonly values: readonly unknown[] }[];
};

const asJson = (path: string, query = "") =>
  client.get<JsonColumns>(`${path}/columns?${query}`, { accept: "application/json" });

test("a column tells how many arrivals each event's bulletin has", async () => {
  const path = await pathOf([{ bulletin: smallBulletin() }, seismicEvent()]);
  expect((await columnsOf(path, "columns=arrivals,magnitude")).values[0]).toEqual([2, null]);
  const { body } = await asJson(path, "columns=arrivals");
  expect(body.columns).toEqual([{ name: "arrivals", values: [2, null] }]);
});

test("columns of any events, packed and as JSON, have what the filtered list has", async () => {
  const anyEvents = fc
    .uniqueArray(anyRecord, { maxLength: 12, selector: (r) => r.source_id ?? Symbol("none") })
    .map((records) => records.map(({ source_events: _, ...record }) => record));
  const anyColumns = fc.shuffledSubarray([...ALL], { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(anyEvents, anyColumns, async (events, columns) => {
      const path = await pathOf(events);
      const query = `columns=${columns}`;
      const listed = await filteredOf(path);
      expect((await columnsOf(path, query)).values).toEqual(valuesOf(listed, columns));
      const { body } = await asJson(path, query);
      expect(body).toMatchObject({ version: 1, count: events.length });
      expect(body.columns).toEqual(
        columns.map((name) => ({ name, values: listed.map((event) => event[name]) })),
      );
    }),
    { numRuns: runs(12), endOnFailure: true },
  );
});

const anyBound = fc.oneof(
  fc.double({ min: 1.5, max: 4, noNaN: true }).map((m) => `minMagnitude=${m}`),
  fc.double({ min: 1, max: 60, noNaN: true }).map((km) => `maxDepth=${km}`),
  fc.double({ min: -46, max: -30, noNaN: true }).map((deg) => `minLatitude=${deg}`),
  fc.constantFrom("minLongitude=175&maxLongitude=-178", "minLongitude=-180"),
  fc.constantFrom("startTime=2018-01-01&endTime=2019-06-01T12:00:00Z", "endTime=2017-03-04"),
  fc.constantFrom("evaluationMode=manual", "maxAzimuthalGap=120", "magnitudeType=ml,mw"),
  fc.constantFrom("latitude=-41&longitude=174&maxRadiusKm=300"),
);
const filterOf = (bound: string) => bound.replace(/=.*/, "");

test("columns with any filters are of the events that the filtered list has, in its order", async () => {
  const anyQuery = fc
    .uniqueArray(anyBound, { maxLength: 3, selector: filterOf })
    .map((bounds) => bounds.join("&"))
    // A bound given twice is refused.
    .filter((query) => query.split("endTime=").length <= 2);
  await fc.assert(
    fc.asyncProperty(anyQuery, async (query) => {
      const listed = await filteredOf(large, query);
      const { header, values } = await columnsOf(large, query);
      expect(header.count).toBe(listed.length);
      const expected = valuesOf(listed, DEFAULT);
      for (const [i, column] of values.entries()) {
        expect(column.findIndex((value, row) => value !== expected[i]?.[row])).toBe(-1);
      }
    }),
    { numRuns: runs(15), endOnFailure: true },
  );
});

test("columns as JSON of many events are those of the filtered list", async () => {
  const listed = await filteredOf(large);
  const { body, headers } = await asJson(large, "columns=time,region,depth");
  expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(body.columns.map(({ name }) => name)).toEqual(["time", "region", "depth"]);
  for (const { name, values } of body.columns) {
    expect(values.length).toBe(11_000);
    expect(values.findIndex((value, row) => value !== listed[row]?.[name])).toBe(-1);
  }
});

test("columns of no events are empty", async () => {
  const { header, values } = await columnsOf(await pathOf([]));
  expect(header.columns.map(({ name }) => name)).toEqual(DEFAULT);
  expect([header.count, values]).toEqual([0, DEFAULT.map(() => [])]);
  const { body } = await asJson(large, "minMagnitude=9.9&columns=id,region");
  expect(body).toMatchObject({
    count: 0,
    columns: ["id", "region"].map((name) => ({ name, values: [] })),
  });
});

test("columns are read as of a version, and tell which by header and entity tag", async () => {
  const path = await pathOf([seismicEvent({ magnitude: 5 })]);
  await client.send("POST", path, { events: [seismicEvent({ magnitude: 6 })] });
  const versions = [["", 2, 2] as const, ["asOf=2", 2, 2] as const, ["asOf=1", 1, 1] as const];
  for (const [query, version, count] of versions) {
    const { header } = await columnsOf(path, query);
    expect(header).toMatchObject({ version, count, catalogue: path.split("/")[3] });
    const tag = (await client.head(`${path}/columns?${query}`)).headers.get("etag");
    expect(tag).toBe(`"${version}"`);
    const again = await client.get(`${path}/columns?${query}`, { "if-none-match": tag ?? "" });
    expect(again).toMatchObject({ status: 304, body: "" });
  }
  expectRefusal(await client.get(`${path}/columns?asOf=3`), "NOT_FOUND");
});

describe("columns are refused", () => {
  test("where there are none of the name, and with parameters that they do not take", async () => {
    for (const [query, sentence] of [
      ["columns=id,extra", 'columns: there is no column "extra"'],
      ["columns=Time", 'columns: there is no column "Time"'],
      ["columns=", 'columns: there is no column ""'],
      ["columns=time,depth,time", "columns: a column is named twice"],
      ...["limit=10", "orderBy=magnitude", "cursor=x", "minmag=3"].map((other) => [other, ""]),
    ] as const) {
      const answer = await client.get(`${large}/columns?${query}`);
      expectRefusal(answer, "VALIDATION_ERROR", sentence);
    }
  });

  test("when a column has too many texts for its indexes, or too large ones", () => {
    const refusalOf = (length: number, byteLength: number) => {
      const values = { texts: { length, byteLength } } as unknown as PackedValues;
      try {
        return requireFewTexts([{ name: "author", values }]) ?? "none";
      } catch (error) {
        return error;
      }
    };
    expect(refusalOf(65_535, 2 ** 24)).toBe("none");
    expect(refusalOf(65_536, 2 ** 24)).toMatchObject({
      code: "VALIDATION_ERROR",
      details: [{ message: expect.stringContaining("author has more than 65535 different texts") }],
    });
    expect(refusalOf(1, 2 ** 24 + 1)).toMatchObject({ code: "VALIDATION_ERROR" });
  });

  test("of more than 2,000,000 events, unless filters leave fewer", async () => {
    const path = await pathOf([...generateEvents(4, 300)]);
    const [, , , id] = path.split("/");
    await withClient(service.databaseUrl, (database) =>
      database.query("update read_model.catalogues set event_count = 2000001 where id = $1", [id]),
    );
    const answer = await client.get(`${path}/columns`);
    expect(answer.status).toBe(413);
    expectRefusal(answer, "TOO_MANY_EVENTS", `GET /api/catalogues/${id}/analytics/density`);
    const listed = await filteredOf(path, "minMagnitude=2");
    expect((await columnsOf(path, "minMagnitude=2")).header.count).toBe(listed.length);
  });
});
