import { expect, test } from "vitest";
import { CHUNK_EVENT } from "#contracts/domain-events/catalogue-events.ts";
import { holds, type Verification } from "#projections/rebuild/verify-projection.ts";
import { createdFrom, generatedRecords } from "../catalogues/catalogue-scene.ts";
import { makeHistory } from "../catalogues/make-history.ts";
import { useCatalogues } from "../catalogues/use-catalogues.ts";
import { useRebuild } from "./use-rebuild.ts";

const catalogues = useCatalogues();
const scene = useRebuild(catalogues);

const table = ({ tables }: Verification, name: string) =>
  tables.find((one) => one.table === name) ?? expect.fail(`no table ${name}`);

test("a read model that is as the log says holds, with the hash of every revision", async () => {
  await makeHistory(catalogues);
  const verification = await scene.verify();
  expect(verification).toMatchObject({ parked: { live: 0, rebuilt: 0 }, revisions: { wrong: [] } });
  expect(verification.revisions.checked).toBeGreaterThan(12);
  const { live, rebuilt, differing } = table(verification, "seismic_events");
  expect(live).toEqual(rebuilt);
  expect(live.rows).toBeGreaterThan(1_000);
  expect(live.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(differing).toBe(0);
  expect(holds(verification)).toBe(true);
});

test("a row that was changed by hand is found and named, with the column", async () => {
  const { rows } = await scene.pool.query<{ key: number; id: string; depth: number }>(
    `update read_model.seismic_events e set depth = coalesce(depth, 0) + 0.001
     where ctid = (select ctid from read_model.seismic_events where depth is not null limit 1)
     returning catalogue_key as key, event_id as id, depth`,
  );
  const [changed] = rows;
  if (!changed) expect.fail("no row was changed");
  const verification = await scene.verify();
  expect(holds(verification)).toBe(false);
  const { differences, differing, live, rebuilt } = table(verification, "seismic_events");
  expect(differing).toBe(1);
  expect(live.hash).not.toBe(rebuilt.hash);
  expect(differences).toEqual([
    {
      key: expect.stringContaining(`${changed.key}/${changed.id}/`),
      kind: "different",
      columns: ["depth"],
    },
  ]);
  await scene.rebuild();
  expect(holds(await scene.verify())).toBe(true);
});

test("a row too many and one too few are told apart", async () => {
  await scene.pool.query(
    `insert into read_model.catalogue_versions
     select 999999, version, created_at, cause, actor, added, updated, removed, event_count, content_hash
     from read_model.catalogue_versions limit 1`,
  );
  await scene.pool.query(
    "delete from read_model.catalogues where key = (select max(key) from read_model.catalogues)",
  );
  const verification = await scene.verify();
  expect(table(verification, "catalogue_versions").differences).toMatchObject([
    { key: expect.stringMatching(/^999999\//), kind: "unexpected" },
  ]);
  expect(table(verification, "catalogues").differences).toMatchObject([{ kind: "missing" }]);
  await scene.rebuild();
  expect(holds(await scene.verify())).toBe(true);
});

test("a chunk that was exchanged in the log is found by the hash of its revision", async () => {
  const id = await createdFrom(catalogues.context, generatedRecords(1, 10));
  const other = await createdFrom(catalogues.context, generatedRecords(2, 10));
  const chunkOf = "select payload from event_log.events where type = $2 and stream = $3";
  await scene.pool.query(
    `update event_log.events set payload = (${chunkOf}) where type = $2 and stream = $1`,
    [`catalogue-${id}-revision-1`, CHUNK_EVENT, `catalogue-${other}-revision-1`],
  );
  const { revisions } = await scene.verify();
  expect(revisions.wrong).toMatchObject([{ catalogueId: id, revision: 1 }]);
});
