import { expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { CHUNK_EVENT, FRAME_EVENT } from "#contracts/events/catalogues.ts";
import { catalogueStream } from "#contracts/events/log.ts";
import { PARTS, packBulletin, sealBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { readBulletin } from "#projections/read/bulletins.ts";
import { catalogueIdOf, deleteCatalogueCommand } from "#services/catalogues/commands.ts";
import type { Command } from "#services/context.ts";
import {
  addCommentCommand,
  deleteSolutionCommand,
  preferSolutionsCommand,
} from "#services/events/commands.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import {
  createdFrom,
  firstEventOf,
  generatedRecords,
  withFullDisk,
} from "../../support/catalogues/catalogue-scene.ts";
import { editOf, newCommand, useCatalogues } from "../../support/catalogues/use-catalogues.ts";
import { createdWithBulletins, someBulletins } from "../catalogues/make-history.ts";
import { dumpReadModel } from "../catalogues/read-model.ts";

const catalogues = useCatalogues();
const PUBLIC_ID = "smi:test.local/one/magnitude/2";

const hashOf = (bulletin: Bulletin | null) => bulletin && sealBulletin(bulletin).sha256;

async function bulletinRows() {
  const { bulletins, bulletin_magnitudes } = await dumpReadModel(catalogues.projectorPool);
  return { bulletins, bulletin_magnitudes };
}

test("bulletins are read as they were given, each of its event, their magnitudes are rows, and a deletion takes them along", async () => {
  const { context, projectorPool } = catalogues;
  const before = await bulletinRows();
  const id = await createdWithBulletins(context);
  const events = await projectorPool.query<{ id: string }>(
    `select event_id as id from read_model.seismic_events
     join read_model.catalogues c on c.key = catalogue_key where c.id = $1 order by event_id`,
    [id],
  );
  const ids = events.rows.map((row) => row.id);
  const read = await Promise.all(ids.map((event) => readBulletin(context.pool, id, event, 1)));
  expect(read.map(hashOf)).toEqual(someBulletins().map(hashOf));
  const head = await readBulletin(context.pool, id, ids[2] ?? "", 1, [PARTS.head]);
  expect(head?.magnitude).toHaveLength(2);
  expect(head).not.toHaveProperty("pick");
  expect(await readBulletin(context.pool, id, ids[1] ?? "", 0)).toBeNull();
  const { rows } = await projectorPool.query(
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
  await deleteCatalogueCommand(context, newCommand(), id, null);
  expect(await bulletinRows()).toEqual(before);
});

test("a catalogue whose frames, chunks or commit cannot be written leaves no bulletin behind", async () => {
  const { context } = catalogues;
  const before = await bulletinRows();
  for (const type of [FRAME_EVENT, CHUNK_EVENT, "RevisionCommitted"] as const) {
    const command = newCommand();
    const writing = createdWithBulletins(withFullDisk(context, type), command);
    await expect(writing, type).rejects.toThrow("disk");
    const decisions = await context.log.read(catalogueStream(catalogueIdOf(command)), 0, 10);
    await context.untilVisible("catalogues", decisions.at(-1)?.position ?? null);
    expect(await bulletinRows(), type).toEqual(before);
  }
});

test("a change of solutions that is sent again after a crash answers as its first run, whatever came after", async () => {
  const { context } = catalogues;
  const bulletin = packBulletin(smallBulletin());
  const records = generatedRecords(5, 1);
  /** Runs a command, another change, then the first again as after a crash that lost its answer. */
  async function twice<T>(
    run: (command: Command, place: { catalogueId: string; eventId: string }) => Promise<T>,
  ): Promise<T> {
    const catalogueId = await createdFrom(context, records, newCommand(), () => bulletin);
    const place = { catalogueId, eventId: await firstEventOf(context, catalogueId) };
    const command = newCommand();
    const first = await run(command, place);
    const later = { text: "later", author: "somebody else" };
    await addCommentCommand({ ...editOf(context, catalogueId), eventId: place.eventId }, later);
    expect(await run({ ...command, retried: true }, place)).toEqual(first);
    return first;
  }
  const solution = { kind: "magnitude", publicID: PUBLIC_ID } as const;
  const { deleted } = await twice((command, place) =>
    deleteSolutionCommand(
      { ...editOf(context, place.catalogueId, command), ...place },
      solution,
      false,
    ),
  );
  expect(deleted).toEqual([solution]);
  const { comment } = await twice((command, place) =>
    addCommentCommand(
      { ...editOf(context, place.catalogueId, command), ...place },
      { text: "felt", author: "A" },
    ),
  );
  expect(comment).toMatchObject({ text: "felt", creationInfo: { author: "A" } });
  const { event } = await twice((command, place) =>
    preferSolutionsCommand(
      { ...editOf(context, place.catalogueId, command), ...place },
      { magnitudeID: PUBLIC_ID },
    ),
  );
  expect(event.magnitude).toBe(4.7);
});
