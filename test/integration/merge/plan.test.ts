import { afterAll, beforeAll, expect, test } from "vitest";
import { openSession, type Session } from "#infra/postgres/connection.ts";
import { SERVICE } from "#projections/read/rights.ts";
import { planMerge } from "#services/merges/plan.ts";
import { createdFrom, generatedRecords } from "../../support/catalogues/catalogue-scene.ts";
import { useCatalogues } from "../../support/catalogues/use-catalogues.ts";

const catalogues = useCatalogues();
let session: Session;
beforeAll(async () => {
  session = await openSession(catalogues.databaseUrl, "test");
});
afterAll(() => session.close());

const config = {
  timeThreshold: 0,
  distanceThreshold: 0,
  mergeStrategy: "quality",
  priority: "",
  linkage: "complete",
} as const;

test("sources of more events than can be held are refused before they are read", async () => {
  const { context } = catalogues;
  const ids = [
    await createdFrom(context, generatedRecords(1, 6)),
    await createdFrom(context, generatedRecords(2, 5)),
  ];
  const sources = ids.map((id) => ({ id, source: id }));
  const plan = (maxEvents: number) =>
    planMerge(session.client, { sources, config, reader: SERVICE }, maxEvents);
  await expect(plan(10)).rejects.toMatchObject({ code: "MERGE_ERROR" });
  const { counts, origins } = await plan(11);
  expect(counts).toMatchObject({ originalEventCount: 11, eventCount: 11 });
  // The second read counts on the order: by time, then id.
  const { ids: rows, seconds, micros } = origins;
  const at = (row: number) => (seconds[row] ?? 0) + (micros[row] ?? 0) / 1e6;
  const places = Array.from(seconds, (_, row) => ({ id: rows.textOf(row) ?? "", at: at(row) }));
  expect(places).toEqual(places.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)));
});
