import { connect, RetentionPolicy, StorageType } from "nats";
import { expect, test } from "vitest";
import { CHANGES, catalogueStream } from "#contracts/names.ts";
import {
  deleteCatalogueCommand,
  updateCatalogueCommand,
} from "#services/commands/catalogues/change-catalogue.ts";
import {
  changeEventCommand,
  removeEventCommand,
} from "#services/commands/catalogues/change-event.ts";
import { eventsInReadModel } from "../analytics/folded-catalogue.ts";
import { addRecords } from "../catalogues/additions.ts";
import { createdFrom, generatedRecords, withFullDisk } from "../catalogues/catalogue-scene.ts";
import { newCommand } from "../catalogues/use-catalogues.ts";
import { POLL, PUBLIC_BASE_URL, useChanges } from "./use-changes.ts";

const scene = useChanges();

test("every change of a catalogue is one CloudEvent under its subject, in order, and names no user", async () => {
  const { context } = scene.catalogues;
  scene.startPublisher();
  const command = () => newCommand("user_17_somebody");
  const id = await createdFrom(context, generatedRecords(1, 3), command());
  await updateCatalogueCommand(context, command(), id, { name: "new" }, null);
  await updateCatalogueCommand(context, command(), id, { isPublic: true }, null);
  const [first = "", second = ""] = [...(await eventsInReadModel(context.pool, id)).keys()];
  await changeEventCommand(context, command(), id, first, { magnitude: 6.5 }, null);
  await removeEventCommand(context, command(), id, second, null);
  await deleteCatalogueCommand(context, command(), id, null);
  await scene.settled();

  const messages = await scene.messages();
  const told = messages.map(({ subject, change }) => [subject, change.type, change.data]);
  const about = { catalogue_id: id };
  const version = (number: number, counts: object) => [
    `catalogues.${id}.version`,
    "catalogue-change.version.v1",
    expect.objectContaining({ ...about, version: number, ...counts }),
  ];
  expect(told).toEqual([
    [
      `catalogues.${id}.created`,
      "catalogue-change.created.v1",
      { ...about, name: expect.any(String), is_public: false },
    ],
    version(1, { cause: "created", added: 3, updated: 0, removed: 0, event_count: 3 }),
    [`catalogues.${id}.renamed`, "catalogue-change.renamed.v1", { ...about, name: "new" }],
    [
      `catalogues.${id}.visibility`,
      "catalogue-change.visibility.v1",
      { ...about, is_public: true, public_from: 1 },
    ],
    version(2, { cause: "edit", added: 0, updated: 1, removed: 0, event_count: 3 }),
    version(3, { cause: "edit", added: 0, updated: 0, removed: 1, event_count: 2 }),
    [`catalogues.${id}.deleted`, "catalogue-change.deleted.v1", about],
  ]);
  for (const { id: messageId, contentType, change } of messages) {
    expect(messageId).toBe(change.id);
    expect(contentType).toBe("application/cloudevents+json; charset=UTF-8");
    expect(change.source).toBe(`${PUBLIC_BASE_URL}/api/catalogues/${id}`);
  }
  expect(JSON.stringify(messages)).not.toContain("user_17");
});

test("a message has id, time and position of its event in the log, and a version its bounds and hash", async () => {
  const { context } = scene.catalogues;
  scene.startPublisher();
  const id = await createdFrom(context, generatedRecords(2, 40));
  await scene.settled();
  const recorded = await context.log.read(catalogueStream(id), 0, 100);
  const [created, version] = await scene.messages();
  expect(created?.id).toBe(recorded[0]?.id);
  const commit = recorded.find(({ type }) => type === "RevisionCommitted");
  if (commit === undefined) throw new Error("the version was not committed");
  const { bounds, contentHash } = commit.data as { bounds: object; contentHash: string };
  expect(version).toMatchObject({
    id: commit.id,
    position: commit.position,
    change: { time: commit.recordedAt, data: { bounds, content_hash: contentHash } },
  });
});

test("nothing is told of a revision that was given up", async () => {
  const { context } = scene.catalogues;
  scene.startPublisher();
  const id = await createdFrom(context, generatedRecords(3, 2));
  const added = addRecords(
    scene.catalogues,
    id,
    generatedRecords(4, 5),
    { updateExisting: true },
    withFullDisk(context, "RevisionCommitted"),
  );
  await expect(added).rejects.toThrow("full");
  await scene.settled();
  const kinds = (await scene.messages()).map(({ subject }) => subject.split(".")[2]);
  expect(kinds).toEqual(["created", "version"]);
});

test("the stream keeps changes in files for 30 days, and as its operator configured it where there is one", async () => {
  const first = scene.startPublisher();
  await expect.poll(first.state, POLL).toBe("connected");
  const connection = await connect({ servers: new URL(scene.broker.url).host });
  try {
    const { streams } = await connection.jetstreamManager();
    const { config } = await streams.info(CHANGES.stream);
    expect(config).toMatchObject({
      subjects: ["catalogues.*.*"],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      max_age: 30 * 86_400 * 1e9,
    });
    await first.close();
    await streams.update(CHANGES.stream, { max_age: 3_600 * 1e9 });
    scene.startPublisher();
    await createdFrom(scene.catalogues.context, generatedRecords(5, 1));
    await scene.settled();
    expect((await streams.info(CHANGES.stream)).config.max_age).toBe(3_600 * 1e9);
  } finally {
    await connection.close();
  }
});

test("of a restricted catalogue messages have its id, versions and counts alone", async () => {
  const { context } = scene.catalogues;
  const command = () => newCommand("user_17_somebody");
  const id = await createdFrom(context, generatedRecords(4, 3), command());
  const change = { access: "restricted", isByOwner: true } as const;
  await updateCatalogueCommand(context, command(), id, change, null);
  await updateCatalogueCommand(context, command(), id, { name: "told to nobody" }, null);
  await deleteCatalogueCommand(context, command(), id, null);
  scene.startPublisher();
  await scene.settled();

  const messages = await scene.messages();
  const about = { catalogue_id: id };
  const counts = { added: 3, updated: 0, removed: 0, event_count: 3 };
  expect(
    messages
      .filter(({ change: { subject } }) => subject === id)
      .map(({ change: { data } }) => data),
  ).toEqual([
    about,
    { ...about, version: 1, ...counts },
    { ...about, is_public: false, public_from: null },
    about,
    about,
  ]);
});
