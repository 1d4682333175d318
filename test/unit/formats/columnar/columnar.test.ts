import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { type BulletinTable, columnsOfTable } from "#contracts/bulletin/tables.ts";
import { COUNTED_OBJECTS } from "#contracts/seismic-event/bulletin-objects.ts";
import { emptyRecord, type SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { parseTime, timeToMicros } from "#contracts/seismic-event/time.ts";
import { shownSolutions } from "#infra/formats/bulletin/parts.ts";
import { createArrowWriter } from "#infra/formats/columnar/arrow.ts";
import { type CreateColumnarWriter, EVENTS, heightOf } from "#infra/formats/columnar/batch.ts";
import { createTextDictionary, type TextDictionary } from "#infra/formats/columnar/columns.ts";
import { createParquetWriter } from "#infra/formats/columnar/parquet.ts";
import { type Cell, tableRowsOf } from "#infra/formats/tables/table-rows.ts";
import { createTableBatch, tableLayout } from "#infra/formats/tables/table-writers.ts";
import { shiftDecimal } from "#infra/formats/written-values.ts";
import { anyRecord } from "../../../support/arbitrary-record.ts";
import { anyBulletin } from "../../../support/bulletins/any-bulletin.ts";
import { uuidOf } from "../../../support/columnar/copied-rows.ts";
import { writeArrow, writeParquet } from "../../../support/columnar/write-columnar.ts";
import { columnValues, endsAsStream, readArrow, readParquet } from "../../../support/columnar.ts";
import { EXPORTED } from "../../../support/formats/exported.ts";
import { generateEvents } from "../../../support/generate-catalogue.ts";
import { runs } from "../../../support/runs.ts";
import { testRows } from "../../../support/test-rows.ts";

test("the height of a depth is the number with the decimal point moved by three places", () => {
  const depth = fc.oneof(
    fc.double({ min: -10, max: 1_000, noNaN: true }),
    fc.integer({ min: -100_000, max: 10_000_000 }).map((n) => n / 10_000),
  );
  fc.assert(
    fc.property(depth, (kilometres) => {
      expect(heightOf(kilometres)).toBe(0 - Number(shiftDecimal(String(kilometres), 3)));
    }),
    { numRuns: runs(2_000) },
  );
});

testRows(
  "a depth in kilometres is a height in metres",
  [
    [8.2, -8200],
    [1.1, -1100],
    [0, 0],
    [-1.234, 1234],
    [33.3333333, -33333.3333],
  ],
  (depth, height) => {
    expect(heightOf(depth)).toBe(height);
  },
);

function indexOf(dictionary: TextDictionary, text: string): number {
  const source = Buffer.from(`>${text}<`);
  return dictionary.indexOf(source, 1, source.length - 2);
}

const textAt = ({ texts }: TextDictionary, index: number) =>
  Buffer.from(texts.at(index)).toString();

test("a dictionary gives every text one index, in the order in which they come", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), (texts) => {
      const dictionary = createTextDictionary(texts.length + 1);
      indexOf(dictionary, "from the batch before");
      dictionary.clear();
      const different = [...new Set(texts)];
      for (const text of texts) {
        expect(indexOf(dictionary, text)).toBe(different.indexOf(text));
      }
      expect(different.map((_, i) => textAt(dictionary, i))).toEqual(different);
    }),
  );
});

test("a dictionary of as many texts as it has room for gives each back", () => {
  const texts = Array.from({ length: 10_000 }, (_, i) => `region ${i % 9_000}`);
  const dictionary = createTextDictionary(texts.length);
  for (const text of texts) expect(textAt(dictionary, indexOf(dictionary, text))).toBe(text);
  expect(dictionary.texts.length).toBe(9_000);
});

/** FNV-1a, folded as the dictionary does it. */
function placeOf(text: string, mask: number): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash ^ (hash >>> 15)) & mask;
}

test("a dictionary gives texts back that were chosen to meet at one place", () => {
  const meeting: string[] = [];
  for (let i = 0; meeting.length < 60; i += 1) {
    if (placeOf(`text ${i}`, 127) === 7) meeting.push(`text ${i}`);
  }
  const dictionary = createTextDictionary(64);
  for (const text of meeting) expect(textAt(dictionary, indexOf(dictionary, text))).toBe(text);
});

/** A table of some events as a file, in batches of at most `batchRows`. */
function written(
  createWriter: CreateColumnarWriter,
  table: BulletinTable,
  bulletins: readonly Bulletin[],
  batchRows: number,
): Buffer {
  const writer = createWriter(
    [{ key: "table", value: table }],
    bulletins.length,
    tableLayout(table),
  );
  const batch = createTableBatch(batchRows, table);
  const pieces = [writer.begin()];
  const flush = () => {
    pieces.push(writer.batch(batch));
    batch.clear();
  };
  for (const row of rowsOf(table, bulletins)) {
    batch.add(row);
    if (batch.isFull()) flush();
  }
  if (batch.length > 0) flush();
  return Buffer.concat([...pieces, writer.end()]);
}

function* rowsOf(table: BulletinTable, bulletins: readonly Bulletin[]) {
  const rows = tableRowsOf(table);
  for (const [i, bulletin] of bulletins.entries()) {
    yield* rows(uuidOf(i), bulletin, shownSolutions(bulletin));
  }
}

/** The rows as readers of columns give them: times in microseconds, null where the text is none. */
function expectedOf(table: BulletinTable, bulletins: readonly Bulletin[]) {
  const columns = columnsOfTable(table);
  return [...rowsOf(table, bulletins)].map((row) =>
    Object.fromEntries(columns.map(({ name, kind }, i) => [name, readOf(row[i] ?? null, kind)])),
  );
}

function readOf(cell: Cell, kind: string): unknown {
  if (kind === "time" && cell !== null) {
    const time = parseTime(cell as string);
    return time === null ? null : timeToMicros(time);
  }
  return cell === 0 ? 0 : cell;
}

const anyBulletins = fc.array(anyBulletin, { maxLength: 4 });
const anyTable = fc.constantFrom(...COUNTED_OBJECTS);
const anySize = fc.integer({ min: 1, max: 5 });

/** Both formats: how they are written and read, and of how many groups of rows a file is made. */
const FORMATS = {
  Parquet: {
    create: createParquetWriter,
    write: writeParquet,
    read: async (file: Buffer) => {
      const { rows, metadata, pairs } = await readParquet(file);
      return { rows, table: pairs["table"], groups: metadata.row_groups.length };
    },
  },
  Arrow: {
    create: createArrowWriter,
    write: writeArrow,
    read: async (file: Buffer) => {
      const { rows, schema, batches } = readArrow(file);
      expect(endsAsStream(file)).toBe(true);
      return { rows, table: schema.metadata.get("table"), groups: batches.length };
    },
  },
};

const anyEvents = fc
  .array(anyRecord, { maxLength: 30 })
  .map((records) => records.map((record, i) => ({ id: uuidOf(i), ...record })));

const ORIGIN = { latitude: -41.5, longitude: 174.25 };
const eventAt = (time: string, more: Partial<SeismicEvent> = {}): SeismicEvent => ({
  id: uuidOf(1),
  ...emptyRecord({ ...ORIGIN, time }),
  ...more,
});

/** Many events of an agency. */
const generated = (count: number): SeismicEvent[] =>
  [...generateEvents(3, count)].map((event, i) => ({
    id: uuidOf(i),
    ...emptyRecord(event as SeismicEvent),
    ...(event as Partial<SeismicEvent>),
    depth: i % 5 === 0 ? null : Number(event["depth"]),
  }));

describe.each(Object.entries(FORMATS))("a file in %s", (_, { create, write, read }) => {
  test("gives back every value of any table, in groups of any size", async () => {
    await fc.assert(
      fc.asyncProperty(anyBulletins, anyTable, anySize, async (bulletins, table, batchRows) => {
        const told = await read(written(create, table, bulletins, batchRows));
        expect(told).toMatchObject({ table, rows: expectedOf(table, bulletins) });
      }),
      { numRuns: runs(60) },
    );
  });

  test("gives back every value of any events, in groups of any size", async () => {
    await fc.assert(
      fc.asyncProperty(anyEvents, fc.integer({ min: 1, max: 40 }), async (events, batchRows) => {
        const { rows, groups } = await read(await write(events, batchRows));
        expect(rows).toEqual(events.map(columnValues));
        if (events.length > 0) expect(groups).toBe(Math.ceil(events.length / batchRows));
      }),
      { numRuns: runs(60) },
    );
  });

  test("of 8,200 events has two groups and every value of them", async () => {
    const events = generated(8_200);
    const { rows, groups } = await read(await write(events));
    expect(groups).toBe(2);
    for (const [i, event] of events.entries()) {
      if (i % 97 === 0 || i > 8_150) expect(rows[i]).toEqual(columnValues(event));
    }
  });
});

describe("a Parquet file", () => {
  test("a Parquet file of long texts has row groups of some megabytes", async () => {
    const extra = { remark: "x".repeat(1024 * 1024) };
    const events = generated(20).map((event) => ({ ...event, extra }));
    const { rows, metadata } = await readParquet(await writeParquet(events));
    expect(metadata.row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([16, 4]);
    expect(rows.map((row) => row["extra"])).toEqual(events.map(() => extra));
  });

  testRows(
    "a Parquet file has row groups by its number of events",
    [
      [1, 8_192],
      [1_048_576, 8_192],
      [1_048_577, 16_384],
      [4_000_000, 32_768],
      [100_000_000, 65_536],
    ],
    (count, rows) => {
      expect(createParquetWriter([], count, EVENTS.layout).batchRows).toBe(rows);
    },
  );

  test("a Parquet file without events is whole and tells of the catalogue", async () => {
    const { rows, metadata, pairs } = await readParquet(await writeParquet([]));
    expect([rows, metadata.num_rows]).toEqual([[], 0n]);
    expect(JSON.parse(pairs["catalogue"] ?? "")).toEqual(EXPORTED.catalogue);
    expect(pairs["version"]).toBe("3");
    expect(JSON.parse(pairs["geo"] ?? "").columns.geometry).toEqual({
      encoding: "WKB",
      geometry_types: [],
    });
  });

  test("a Parquet file cut anywhere is none", async () => {
    const file = await writeParquet(generated(50), 20);
    for (const bytes of [4, 5_000, file.length - 1]) {
      await expect(readParquet(file.subarray(0, bytes))).rejects.toThrow();
    }
  });

  test("a Parquet file has typed columns, of which those that are always known take no nulls", async () => {
    const { metadata } = await readParquet(await writeParquet([]));
    const [, ...columns] = metadata.schema;
    const typeOf = new Map(columns.map(({ name, ...element }) => [name, element]));
    expect(typeOf.get("id")).toMatchObject({
      type: "BYTE_ARRAY",
      logical_type: { type: "STRING" },
      repetition_type: "REQUIRED",
    });
    expect(typeOf.get("time")).toMatchObject({
      type: "INT64",
      logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
      repetition_type: "REQUIRED",
    });
    expect(typeOf.get("magnitude")).toMatchObject({ type: "DOUBLE", repetition_type: "OPTIONAL" });
    expect(typeOf.get("used_station_count")).toMatchObject({ type: "INT32" });
    expect(typeOf.get("extra")).toMatchObject({ logical_type: { type: "STRING" } });
    expect(typeOf.get("geometry")).toMatchObject({
      type: "BYTE_ARRAY",
      repetition_type: "REQUIRED",
    });
  });

  test("a Parquet file has texts that come again once in a row group", async () => {
    const { metadata } = await readParquet(await writeParquet(generated(1_000)));
    const region = metadata.row_groups[0]?.columns.find(
      ({ meta_data }) => meta_data?.path_in_schema[0] === "region",
    );
    expect(region?.meta_data?.encodings).toContain("RLE_DICTIONARY");
  });

  testRows(
    "a Parquet file tells of what kind its points are, and where",
    [
      ["Point", [{ depth: null }], [174.25, -41.5, 174.25, -41.5]],
      ["Point Z", [{ depth: 8.2 }], [174.25, -41.5, -8200, 174.25, -41.5, -8200]],
      [
        "Point,Point Z",
        [{ depth: null, longitude: -179 }, { depth: 1 }],
        [-179, -41.5, 174.25, -41.5],
      ],
    ] as const,
    async (types, events, bbox) => {
      const file = await writeParquet(
        events.map((more) => eventAt("2020-01-01T00:00:00Z", more)),
        1,
      );
      const { pairs } = await readParquet(file);
      expect(JSON.parse(pairs["geo"] ?? "")).toEqual({
        version: "1.1.0",
        primary_column: "geometry",
        columns: { geometry: { encoding: "WKB", geometry_types: types.split(","), bbox } },
      });
    },
  );
});

describe("an Arrow stream", () => {
  test("an Arrow stream tells of the catalogue, and of its points by GeoArrow", async () => {
    const { schema, rows } = readArrow(await writeArrow([]));
    expect(rows).toEqual([]);
    expect(JSON.parse(schema.metadata.get("catalogue") ?? "")).toEqual(EXPORTED.catalogue);
    expect(schema.metadata.get("version")).toBe("3");
    const geometry = schema.fields.at(-1);
    expect(geometry?.metadata.get("ARROW:extension:name")).toBe("geoarrow.wkb");
  });

  test("an Arrow stream has typed columns", async () => {
    const { schema } = readArrow(await writeArrow([]));
    const typeOf = new Map(schema.fields.map((field) => [field.name, String(field.type)]));
    expect(typeOf.get("id")).toBe("Utf8");
    expect(typeOf.get("time")).toBe("Timestamp<MICROSECOND, UTC>");
    expect(typeOf.get("magnitude")).toBe("Float64");
    expect(typeOf.get("used_station_count")).toBe("Int32");
    expect(typeOf.get("region")).toBe("Dictionary<Int32, Utf8>");
    expect(typeOf.get("extra")).toBe("Utf8");
    expect(typeOf.get("geometry")).toBe("Binary");
    const nullable = schema.fields.filter((field) => !field.nullable).map(({ name }) => name);
    expect(nullable).toEqual(["id", "time", "latitude", "longitude", "geometry"]);
  });
});

testRows(
  "a time is so many microseconds in both columnar formats",
  [
    ["0001-01-01T00:00:00Z", -62_135_596_800_000_000n],
    ["1848-10-16T02:40:00.000001Z", -3_825_004_799_999_999n],
    ["1969-12-31T23:59:59.999999Z", -1n],
    ["2000-01-01T00:00:00Z", 946_684_800_000_000n],
    ["9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999n],
  ],
  async (time, micros) => {
    const { rows } = await readParquet(await writeParquet([eventAt(time)]));
    expect(rows[0]?.["time"]).toBe(micros);
    expect(readArrow(await writeArrow([eventAt(time)])).rows[0]?.["time"]).toBe(micros);
  },
);
