import fc from "fast-check";
import { expect, test } from "vitest";
import { EXPORT_FORMATS } from "#contracts/http/catalogue-export.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { anyRecord } from "../../support/arbitrary-record.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";
import { createFrom, eventsOf, exportFile, uploadFile } from "./file-round.ts";

const service = sharedService();

/** Valid events of one catalogue, no two with the same source id. */
const anyEvents = fc
  .uniqueArray(anyRecord, { maxLength: 12, selector: (r) => r.source_id ?? Symbol("none") })
  .map((records) => records.map(({ source_events: _, ...record }) => record))
  .filter((records) => records.length > 0);

test("a catalogue that is exported and uploaded again is the same", async () => {
  const client = await service.loginAs("editor");
  await fc.assert(
    fc.asyncProperty(anyEvents, async (events) => {
      const { id, validationReport } = await createCatalogue(client, { events });
      expect(validationReport.invalidEvents).toEqual([]);
      const given = await eventsOf(client, id);
      for (const format of ["csv", "json", "geojson", "quakeml"] as const) {
        const file = await exportFile(client, id, format);
        const uploaded = await uploadFile(client, file, `x.${EXPORT_FORMATS[format].extension}`);
        expect([uploaded.errorCount, uploaded.rowCount]).toEqual([0, events.length]);
        const again = await createFrom(client, uploaded);
        expect(await eventsOf(client, again), format).toEqual(given);
      }
    }),
    { numRuns: runs(12), endOnFailure: true },
  );
});
