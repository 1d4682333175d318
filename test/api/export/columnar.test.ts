import fc from "fast-check";
import { expect, test } from "vitest";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { fileForm } from "../../support/api/file-form.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { anyRecord } from "../../support/arbitrary-record.ts";
import { columnValues, endsAsStream, readArrow, readParquet } from "../../support/columnar.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";
import { exportFile } from "../formats/file-round.ts";

const service = sharedService();
const client = service.client("editor");

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
