import { describe, expect, test } from "vitest";
import { CHUNK_EVENT } from "#contracts/events/catalogues.ts";
import { deleteCatalogueCommand, updateCatalogueCommand } from "#services/catalogues/commands.ts";
import { changeEventCommand, removeEventCommand } from "#services/events/commands.ts";
import {
  createdFrom,
  generatedRecords,
  withFullDisk,
} from "../../support/catalogues/catalogue-scene.ts";
import { eventEditOf, newCommand } from "../../support/catalogues/use-catalogues.ts";
import { randomOf } from "../../support/generate-catalogue.ts";
import type { TopicMessage } from "../../support/read-topic.ts";
import { addRecords } from "../catalogues/additions.ts";
import { eventsInReadModel, foldCatalogue } from "./folded-catalogue.ts";
import { outline, PUBLIC_BASE_URL, useAnalytics } from "./use-analytics.ts";

const scene = useAnalytics();
/** Of two chunks. */
const COUNT = 2_001;

/** All that the topic holds of a catalogue, once it has told of its end. */
async function toldUntilDeleted(id: string): Promise<TopicMessage[]> {
  await deleteCatalogueCommand(scene.catalogues.context, newCommand(), id, null);
  await scene.settled();
  const told = await scene.messagesOf(id);
  expect(told.at(-1)?.message.type).toBe("catalogue.deleted.v1");
  return told;
}

describe("the feed", () => {
  test("the feed tells every change of a catalogue once, as CloudEvents in its order, events before their revision, nothing of one that was given up, and no user", async () => {
    const { context } = scene.catalogues;
    scene.startPublisher();
    const command = () => newCommand("user_17_somebody");
    const id = await createdFrom(context, generatedRecords(1, 3), command());
    await updateCatalogueCommand(context, command(), id, { name: "new", isPublic: true }, null);
    const [first = "", second = ""] = [...(await eventsInReadModel(context.pool, id)).keys()];
    await changeEventCommand(eventEditOf(context, id, first, command()), { magnitude: 6.5 });
    const givenUp = withFullDisk(context, "RevisionCommitted");
    const further = generatedRecords(3, 5);
    const adding = addRecords(scene.catalogues, id, further, { updateExisting: true }, givenUp);
    await expect(adding).rejects.toThrow("full");
    await removeEventCommand(eventEditOf(context, id, second, command()));
    const messages = await toldUntilDeleted(id);
    expect(outline(messages)).toEqual([
      "catalogue.created.v1",
      "3 seismic-event.added.v1",
      "catalogue.revision-committed.v1",
      "catalogue.renamed.v1",
      "catalogue.visibility-changed.v1",
      "seismic-event.updated.v1",
      "catalogue.revision-committed.v1",
      "seismic-event.removed.v1",
      "catalogue.revision-committed.v1",
      "catalogue.deleted.v1",
    ]);
    expect(messages[7]?.message).toMatchObject({
      subject: first,
      data: { event: { magnitude: 6.5 } },
    });
    expect(messages[9]?.message).toMatchObject({ subject: second, data: { eventId: second } });
    expect(new Set(messages.map(({ partition }) => partition)).size).toBe(1);
    expect(new Set(messages.map(({ message }) => message.id)).size).toBe(messages.length);
    for (const { headers, message } of messages) {
      expect(headers["content-type"]).toBe("application/cloudevents+json; charset=UTF-8");
      expect(message).toMatchObject({
        specversion: "1.0",
        source: `${PUBLIC_BASE_URL}/api/catalogues/${id}`,
        partitionkey: id,
        datacontenttype: "application/json",
      });
      expect(Date.parse(message.time)).toBeGreaterThan(Date.now() - 3_600_000);
    }
    expect(JSON.stringify(messages)).not.toContain("user_17");
  });

  test("the feed tells id, versions and counts alone of a restricted catalogue, and nothing of its events", async () => {
    const { context } = scene.catalogues;
    const id = await createdFrom(context, generatedRecords(9, 3));
    const change = { access: "restricted", isByOwner: true, name: "told to nobody" } as const;
    await updateCatalogueCommand(context, newCommand(), id, change, null);
    scene.startPublisher();
    const messages = await toldUntilDeleted(id);
    const catalogueId = id;
    const counts = { added: 3, updated: 0, removed: 0, eventCount: 3 };
    expect(messages.map(({ message: { data } }) => data)).toEqual([
      { catalogueId },
      { catalogueId, revision: 1, ...counts },
      { catalogueId, isPublic: false, publicFrom: null },
      { catalogueId },
    ]);
  });

  test("the feed numbers the messages of a revision under the position of its commit", async () => {
    const { context } = scene.catalogues;
    scene.startPublisher();
    const id = await createdFrom(context, generatedRecords(5, COUNT));
    const live = await eventsInReadModel(context.pool, id);
    const messages = await toldUntilDeleted(id);
    expect(foldCatalogue(messages.slice(0, -1))?.events).toEqual(live);
    const revision = messages.filter(({ message }) => message.subject !== undefined);
    const commit = messages.at(-2);
    expect(commit?.message.type).toBe("catalogue.revision-committed.v1");
    expect(new Set(revision.map(({ position }) => position))).toEqual(new Set([commit?.position]));
    expect(revision.map(({ ordinal }) => ordinal)).toEqual(
      Array.from({ length: COUNT }, (_, i) => i),
    );
    expect(commit?.ordinal).toBe(COUNT);
    const chunks = await context.log.read(`catalogue-${id}-revision-1`, 0, 10);
    expect(chunks.map(({ type }) => type)).toEqual([CHUNK_EVENT, CHUNK_EVENT]);
  });

  test("the feed folds into what the read model shows, whatever happens to a catalogue", async () => {
    const { context } = scene.catalogues;
    scene.startPublisher();
    const random = randomOf(23);
    const any = (count: number) => Math.floor(random() * count);
    const ids: string[] = [];
    for (let i = 0; i < 4; i += 1) {
      ids.push(await createdFrom(context, generatedRecords(30 + i, 1 + any(60))));
    }
    for (let step = 0; step < 24; step += 1) {
      const id = ids[any(ids.length)] ?? "";
      const present = [...(await eventsInReadModel(context.pool, id)).keys()];
      const event = present[any(present.length)] ?? "";
      const kind = any(4);
      if (kind === 0) await scene.addEvents(id, generatedRecords(30 + any(4), 1 + any(90)));
      if (kind === 1) {
        const change = { magnitude: any(60) / 10, note: `step ${step}` };
        await changeEventCommand(eventEditOf(context, id, event), change);
      }
      if (kind === 2) await removeEventCommand(eventEditOf(context, id, event));
      if (kind === 3) {
        const change = { name: `step ${step}`, isPublic: any(2) === 0 };
        await updateCatalogueCommand(context, newCommand(), id, change, null);
      }
    }
    for (const id of ids) {
      const live = await eventsInReadModel(context.pool, id);
      const folded = foldCatalogue((await toldUntilDeleted(id)).slice(0, -1));
      expect(folded?.events).toEqual(live);
      expect(folded?.eventCount).toBe(live.size);
    }
  });
});
