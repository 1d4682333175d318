import { expect, test } from "vitest";
import { emptyRecord } from "#contracts/seismic-event/seismic-event.ts";
import { readPage } from "#projections/queries/events/event-pages.ts";
import { resolveVersion } from "#projections/queries/events/resolve-version.ts";
import { SERVICE } from "#projections/queries/rights/reader-rights.ts";
import { refusal } from "./api-reads.ts";
import { createModelCatalogue } from "./model-catalogue.ts";
import { useReadModel } from "./use-read-model.ts";

const model = useReadModel();
const record = emptyRecord({ time: "2016-11-13T11:02:56Z", latitude: 0, longitude: 0 });

test("a catalogue deleted between finding its version and reading its events is 404", async () => {
  const deleted = await createModelCatalogue(model.writer);
  await deleted.commit({ add: [record] });
  const version = await resolveVersion(model.pool, { catalogueId: deleted.id, reader: SERVICE });
  await deleted.remove();
  const selection = { version, order: "time", filters: {} } as const;
  const read = readPage(model.reads, selection, { offset: 0 }, 10);
  expect((await refusal(read)).code).toBe("NOT_FOUND");
});
