import fc from "fast-check";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { ScalarName } from "#contracts/http/events/event-columns.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { NOBODY } from "#infra/kernel/asker.ts";
import type { ColumnsTask } from "#services/gateway/files/columns-task.ts";
import { createExporter } from "#services/gateway/files/exporter.ts";
import { openGatewayThreads } from "#services/gateway/threads/gateway-threads.ts";
import { anyRecord } from "../../support/arbitrary-record.ts";
import { copiedColumns, uuidOf } from "../../support/columnar/copied-rows.ts";
import { openResources, spoolsAmong } from "../../support/open-resources.ts";
import { decodeColumns, packedValue } from "../../support/packed/decode-columns.ts";

const CATALOGUE = "0f0e1d2c-abcd-4000-8000-000000000000";
const COLUMNS: readonly ScalarName[] = ["id", "magnitude", "event_type", "region"];
/** So few are written by the thread that answers, so many by another. */
const [FEW, MANY] = [50, 2_500];

const { threads, close } = openGatewayThreads();
const exporter = createExporter(threads);
afterAll(close);

const events: SeismicEvent[] = fc
  .sample(anyRecord, { numRuns: MANY, seed: 9 })
  .map((record, i) => ({ id: uuidOf(i), ...record }));

const taskOf = (count: number): ColumnsTask => ({
  catalogue: CATALOGUE,
  version: 2,
  columns: COLUMNS,
  form: "packed",
  count,
});

const rowsOf = (count: number) => copiedColumns(events.slice(0, count), COLUMNS);

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function write(count: number, rows: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of exporter.writeColumns(taskOf(count), () => rows, NOBODY))
    pieces.push(piece);
  return Buffer.concat(pieces);
}

describe.each([FEW, MANY])("columns of %i events", (count) => {
  test("are written of rows cut anywhere, several at a time", async () => {
    const rows = await rowsOf(count);
    const sizes = [rows.length / 9, rows.length, 1 + rows.length / 50].map(Math.ceil);
    const bodies = await Promise.all(sizes.map((size) => write(count, cut(rows, size))));
    for (const body of bodies) {
      const expected = COLUMNS.map((name) =>
        events.slice(0, count).map((event) => packedValue(event, name)),
      );
      expect(decodeColumns(body).values).toEqual(expected);
    }
  });

  test("fail as their rows do, before the first piece", async () => {
    const fault = new Error("the database is gone");
    async function* failing(): AsyncGenerator<Buffer> {
      yield await rowsOf(20);
      throw fault;
    }
    await expect(exporter.writeColumns(taskOf(count), failing, NOBODY).next()).rejects.toBe(fault);
  });

  test("fail when rows are missing, before the first piece", async () => {
    const rows = await rowsOf(count);
    const short = cut(rows.subarray(0, rows.length - 3), 4_096);
    const pieces = exporter.writeColumns(taskOf(count), () => short, NOBODY);
    await expect(pieces.next()).rejects.toThrow("the copy ends within a row");
  });
});

test.each([FEW, 40_000])(
  "columns of what was announced as %i events leave no file when they are given up",
  async (count) => {
    // So many that their ids do not stay in memory.
    const many = Array.from({ length: 40_000 }, (_, i) => events[i % MANY] as SeismicEvent);
    const rows = await copiedColumns(many, COLUMNS);
    const spools = async () => spoolsAmong(await openResources());
    const pieces = exporter.writeColumns(taskOf(count), () => cut(rows, 64 * 1024), NOBODY);
    await pieces.next();
    expect(await spools()).toBeGreaterThan(0);
    await pieces.return(undefined);
    await vi.waitFor(async () => expect(await spools()).toBe(0));
  },
);
