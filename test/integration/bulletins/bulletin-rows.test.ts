import { expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { CHUNK_EVENT, FRAME_EVENT } from "#contracts/domain-events/catalogue-events.ts";
import { bulletinStream, catalogueStream } from "#contracts/names.ts";
import { PARTS } from "#infra/bulletins/bulletin-parts.ts";
import { packBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { sealBulletin } from "#infra/bulletins/seal-bulletin.ts";
import { readBulletin } from "#projections/queries/bulletins/read-bulletin.ts";
import { holds } from "#projections/rebuild/verify-projection.ts";
import { deleteCatalogueCommand } from "#services/commands/catalogues/change-catalogue.ts";
import { catalogueIdOf } from "#services/commands/catalogues/create-catalogue.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { createdFrom, generatedRecords, withFullDisk } from "../catalogues/catalogue-scene.ts";
import { dumpReadModel } from "../catalogues/read-model.ts";
import { newCommand, useCatalogues } from "../catalogues/use-catalogues.ts";
import { useRebuild } from "../rebuild/use-rebuild.ts";

const catalogues = useCatalogues();
const scene = useRebuild(catalogues);

/** Larger than a frame, with more picks and a longer head than fit a piece. */
function largeBulletin(): Bulletin {
  const bulletin = smallBulletin("large");
  const text = Array.from({ length: 120_000 }, (_, i) => Math.sin(i).toString(36)).join("");
  const [pick] = bulletin.pick ?? [];
  if (pick === undefined) throw new Error("no pick");
  const picks = Array.from({ length: 6_000 }, (_, i) => ({ ...pick, publicID: `smi:a/${i}` }));
  return { ...bulletin, comment: [{ text }], pick: picks };
}

const bulletins = [null, smallBulletin("1"), largeBulletin(), null, smallBulletin("4")];

async function withBulletins(context = catalogues.context, command = newCommand()) {
  const records = generatedRecords(1, bulletins.length);
  const packed = bulletins.map((bulletin) => bulletin && packBulletin(bulletin));
  return createdFrom(context, records, command, (i) => packed[i] ?? null);
}

async function idsOf(catalogueId: string): Promise<string[]> {
  const { rows } = await scene.pool.query<{ event_id: string }>(
    `select event_id from read_model.seismic_events
     where catalogue_key = (select key from read_model.catalogues where id = $1)
     order by event_id`,
    [catalogueId],
  );
  return rows.map(({ event_id: id }) => id);
}

const hashOf = (bulletin: Bulletin | null) => bulletin && sealBulletin(bulletin).sha256;

test("bulletins are read as they were given, each of its event", async () => {
  const id = await withBulletins();
  const { pool } = catalogues.context;
  const ids = await idsOf(id);
  const read = await Promise.all(ids.map((event) => readBulletin(pool, id, event, 1)));
  expect(read.map(hashOf)).toEqual(bulletins.map(hashOf));
  const head = await readBulletin(pool, id, ids[2] ?? "", 1, [PARTS.head]);
  expect(head?.magnitude).toHaveLength(2);
  expect(head).not.toHaveProperty("pick");
  expect(await readBulletin(pool, id, ids[1] ?? "", 0)).toBeNull();
});

test("magnitudes of all bulletins are rows, the preferred one marked", async () => {
  const id = await withBulletins();
  const { rows } = await scene.pool.query(
    `select m.place, m.type, m.value, m.agency, m.preferred from read_model.bulletin_magnitudes m
     join read_model.catalogues c on c.key = m.catalogue_key
     where c.id = $1 order by m.event_id, m.place`,
    [id],
  );
  const ofOne = [
    { place: 0, type: "Mw", value: 4.5, agency: "WEL", preferred: true },
    { place: 1, type: "ML", value: 4.7, agency: null, preferred: false },
  ];
  expect(rows).toEqual([...ofOne, ...ofOne, ...ofOne]);
});

test("a rebuilt read model has the same bulletins, and a verification holds", async () => {
  await withBulletins();
  const before = await dumpReadModel(scene.pool);
  expect(before["bulletins"]?.length).toBeGreaterThan(5);
  const verification = await scene.verify();
  expect(holds(verification)).toBe(true);
  await scene.rebuild();
  expect(await dumpReadModel(scene.pool)).toEqual(before);
  expect(holds(await scene.verify())).toBe(true);
});

test.each([FRAME_EVENT, CHUNK_EVENT, "RevisionCommitted"] as const)(
  "a catalogue whose %s cannot be written leaves no bulletin behind",
  async (type) => {
    const { context } = catalogues;
    const before = (await dumpReadModel(scene.pool))["bulletins"];
    const command = newCommand();
    await expect(withBulletins(withFullDisk(context, type), command)).rejects.toThrow("disk");
    const decisions = await context.log.read(catalogueStream(catalogueIdOf(command)), 0, 10);
    await context.untilVisible("catalogues", decisions.at(-1)?.position ?? null);
    expect((await dumpReadModel(scene.pool))["bulletins"]).toEqual(before);
  },
);

test("a deleted catalogue takes its bulletins with it", async () => {
  const before = await dumpReadModel(scene.pool);
  const id = await withBulletins();
  await deleteCatalogueCommand(catalogues.context, newCommand(), id, null);
  const after = await dumpReadModel(scene.pool);
  expect(after["bulletins"]).toEqual(before["bulletins"]);
  expect(after["bulletin_magnitudes"]).toEqual(before["bulletin_magnitudes"]);
});

test("a frame that was changed in the log is found by its revision's hash", async () => {
  const id = await withBulletins();
  const stream = bulletinStream(id, 1);
  await scene.pool.query(
    `update event_log.events set payload = set_byte(payload, length(payload) - 1, get_byte(payload, length(payload) - 1) # 1)
     where stream = $1 and revision = 0`,
    [stream],
  );
  const verification = await scene.verify();
  expect(verification.revisions.wrong).toMatchObject([{ catalogueId: id, revision: 1 }]);
  expect(holds(verification)).toBe(false);
});
