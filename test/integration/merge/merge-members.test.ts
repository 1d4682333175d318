import { randomUUID } from "node:crypto";
import { sql } from "slonik";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { eventId } from "#contracts/seismic-event/ids.ts";
import { emptyRecord, type SourceEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createChunkWriter } from "#infra/log/chunks.ts";
import { openSession, type Session } from "#infra/postgres/connection.ts";
import { cataloguesProjection } from "#projections/catalogues/projection.ts";
import { inPieces, removeLeftRows } from "#projections/engine/left-rows.ts";
import { LIVE_SCHEMA } from "#projections/engine/projection.ts";
import { leftMerges } from "#projections/read/merges/merge.ts";
import { SERVICE } from "#projections/read/rights.ts";
import { deleteCatalogueCommand } from "#services/catalogues/commands.ts";
import { forgetDeleted } from "#services/merges/commands.ts";
import { planMerge } from "#services/merges/plan.ts";
import { editCatalogue } from "#services/revision.ts";
import { createdFrom, generatedRecords } from "../../support/catalogues/catalogue-scene.ts";
import { editOf, newCommand, useCatalogues } from "../../support/catalogues/use-catalogues.ts";

const catalogues = useCatalogues();
const Row = z.object({ member: z.string(), event_id: z.string(), revision: z.int() });

const membersOf = (id: string) =>
  catalogues.context.pool.any(sql.type(Row)`
    select m.member, m.event_id, m.revision from read_model.merge_members m
    where m.catalogue_key = (select key from read_model.catalogues where id = ${id})
    order by m.member, m.event_id`);

function merged(...members: string[]) {
  const source_events = members.map(
    (event_id): SourceEvent => ({
      catalogue_id: randomUUID(),
      event_id,
      source_id: null,
      source: "a",
      time_difference: 0,
      distance: 0,
      quality_score: 0,
      chosen: false,
    }),
  );
  const place = emptyRecord({ time: "2020-01-01T00:00:00Z", latitude: 1, longitude: 2 });
  return { ...place, source_events };
}

test("of a merged catalogue's events is known which had a source's event among their members, and since when", async () => {
  const { context } = catalogues;
  const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()].sort() as [string, string, string];
  const id = await createdFrom(context, [merged(a, b), merged(c)]);
  const [first, second] = [eventId(id, 1, 0), eventId(id, 1, 1)];
  const writer = createChunkWriter();
  writer.update(first, merged(b, c));
  writer.remove(second);
  const chunk = writer.finish();
  const totals = () => ({ ...writer.counts(), bounds: writer.bounds() });
  await editCatalogue(editOf(context, id), { cause: "edit" }, (_, write) =>
    write({ chunks: chunk === null ? [] : [chunk], totals }),
  );
  const known = [
    { member: a, event_id: first, revision: 1 },
    { member: b, event_id: first, revision: 1 },
    { member: c, event_id: first, revision: 2 },
    { member: c, event_id: second, revision: 1 },
  ];
  expect(await membersOf(id)).toEqual(known);

  const cutOff = createChunkWriter();
  cutOff.add(merged(a));
  const last = cutOff.finish();
  const abandoned = editCatalogue(editOf(context, id), { cause: "edit" }, (_, write) =>
    write({
      chunks: last === null ? [] : [last],
      totals: () => Promise.reject(new Error("given up")),
    }),
  );
  await expect(abandoned).rejects.toThrow("given up");
  await context.untilVisible("catalogues", await context.log.head());
  expect(await membersOf(id)).toEqual(known);

  const count = z.object({ count: z.int() });
  const all = () =>
    context.pool.one(sql.type(count)`
      select count(*)::integer as count from read_model.merge_members where member = ${a}`);
  expect(await all()).toEqual({ count: 1 });
  await deleteCatalogueCommand(context, newCommand(), id, null);
  const { signal } = new AbortController();
  await removeLeftRows(
    inPieces(catalogues.projectorPool, LIVE_SCHEMA),
    cataloguesProjection.tables,
    signal,
  );
  // The projector may be about it too.
  await expect.poll(all).toEqual({ count: 0 });
});

test("of deleted merges nothing is kept; of one that the read model has not, but the log, all is", async () => {
  const { context, projectorPool } = catalogues;
  const kept = await createdFrom(context, generatedRecords(6, 1));
  const gone = await createdFrom(context, generatedRecords(6, 1));
  await deleteCatalogueCommand(context, newCommand(), gone, null);
  for (const id of [kept, gone]) {
    await projectorPool.query("insert into operations.merge_follows (catalogue_id) values ($1)", [
      id,
    ]);
    await projectorPool.query("insert into operations.merge_pair_sets values ($1, 'settings')", [
      id,
    ]);
    await projectorPool.query(
      "insert into operations.merge_review (catalogue_id, one, other) values ($1, $2, $3)",
      [id, randomUUID(), randomUUID()],
    );
  }
  await projectorPool.query("delete from read_model.catalogues");
  expect([...(await leftMerges(context.pool))].sort()).toEqual([kept, gone].sort());
  await forgetDeleted(context);
  expect(await leftMerges(context.pool)).toEqual([kept]);
});

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
