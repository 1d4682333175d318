import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import {
  BULLETIN_TABLES,
  type BulletinTable,
  columnsOfTable,
} from "#contracts/bulletin/table-columns.ts";
import { timeToMicros } from "#contracts/seismic-event/origin-time.ts";
import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import { shownSolutions } from "#infra/formats/bulletin/preferred.ts";
import { type Cell, tableRowsOf } from "#infra/formats/bulletin/table-rows.ts";
import { createArrowWriter } from "#infra/formats/columnar/arrow-writer.ts";
import type { CreateColumnarWriter } from "#infra/formats/columnar/columnar-writer.ts";
import { createParquetWriter } from "#infra/formats/columnar/parquet-writer.ts";
import { createTableBatch, tableLayout } from "#infra/formats/tables/table-batch.ts";
import { anyBulletin } from "../../../support/bulletins/any-bulletin.ts";
import { uuidOf } from "../../../support/columnar/copied-rows.ts";
import { readArrow, readParquet } from "../../../support/columnar.ts";
import { runs } from "../../../support/runs.ts";

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
const anyTable = fc.constantFrom(...BULLETIN_TABLES);
const anySize = fc.integer({ min: 1, max: 5 });

describe("tables by column", () => {
  test("a Parquet file gives back every value of any table, in row groups of any size", async () => {
    await fc.assert(
      fc.asyncProperty(anyBulletins, anyTable, anySize, async (bulletins, table, batchRows) => {
        const file = written(createParquetWriter, table, bulletins, batchRows);
        const { rows, pairs } = await readParquet(file);
        expect(rows).toEqual(expectedOf(table, bulletins));
        expect([pairs["table"], pairs["geo"]]).toEqual([table, undefined]);
      }),
      { numRuns: runs(60) },
    );
  });

  test("an Arrow stream gives back every value of any table, in batches of any size", () => {
    fc.assert(
      fc.property(anyBulletins, anyTable, anySize, (bulletins, table, batchRows) => {
        const { rows, schema } = readArrow(written(createArrowWriter, table, bulletins, batchRows));
        expect(rows).toEqual(expectedOf(table, bulletins));
        expect(schema.metadata.get("table")).toBe(table);
      }),
      { numRuns: runs(60) },
    );
  });
});
