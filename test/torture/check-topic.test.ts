import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type CatalogueEvent, NO_BOUNDS } from "#contracts/domain-events/catalogue-events.ts";
import { catalogueStream } from "#contracts/names.ts";
import { toNewEvents } from "#infra/event-log/domain-events.ts";
import type { EventLog } from "#infra/event-log/event-log.ts";
import { createInMemoryEventLog } from "../support/in-memory-event-log.ts";
import { checkTopic } from "./checks.ts";
import type { RecordedMessage } from "./clients.ts";

/** A log of one catalogue with two revisions, and the topic as it should be. */
async function scene(): Promise<{ log: EventLog; right: RecordedMessage[] }> {
  const log = createInMemoryEventLog();
  const catalogueId = randomUUID();
  const commit = (revision: number, added: number): CatalogueEvent => ({
    type: "RevisionCommitted",
    data: {
      catalogueId,
      revision,
      cause: "edit",
      chunks: 1,
      added,
      updated: 0,
      removed: 0,
      eventCount: added,
      bounds: NO_BOUNDS,
      contentHash: "",
    },
  });
  const created: CatalogueEvent = {
    type: "CatalogueCreated",
    data: { catalogueId, name: "one", isPublic: false, createdBy: "user_1" },
  };
  const events = [created, commit(1, 2), commit(2, 1)];
  const origin = { commandId: randomUUID(), actor: "system", at: new Date() };
  const stream = catalogueStream(catalogueId);
  await log.append(stream, -1, toNewEvents(stream, 0, events, origin));
  const [first, second, third] = (await log.read(stream, 0, 3)).map(({ position }) => position);
  const message = (type: string, position = "", ordinal = 0): RecordedMessage => ({
    key: catalogueId,
    type,
    position,
    ordinal,
  });
  const right = [
    message("catalogue.created.v1", first),
    message("seismic-event.added.v1", second, 0),
    message("seismic-event.added.v1", second, 1),
    message("catalogue.revision-committed.v1", second, 2),
    message("seismic-event.added.v1", third, 0),
    message("catalogue.revision-committed.v1", third, 1),
  ];
  return { log, right };
}

describe("the topic's check", () => {
  test("the topic's check finds nothing wrong with what was published once, or repeated from anywhere", async () => {
    const { log, right } = await scene();
    expect(await checkTopic(log, right)).toEqual([]);
    for (let from = 0; from < right.length; from += 1) {
      const repeated = [...right.slice(0, 4), ...right.slice(Math.min(from, 4))];
      expect(await checkTopic(log, repeated)).toEqual([]);
    }
  });

  test("the topic's check finds every message that is missing", async () => {
    const { log, right } = await scene();
    for (const lost of right.keys()) {
      expect(await checkTopic(log, right.toSpliced(lost, 1))).toHaveLength(1);
    }
  });

  test("the topic's check finds messages that have changed places, and those that nothing stands for", async () => {
    const { log, right } = await scene();
    for (let i = 0; i + 1 < right.length; i += 1) {
      const [one, other] = [right[i], right[i + 1]];
      const swapped = right.toSpliced(i, 2, ...[other, one].filter((m) => m !== undefined));
      expect(await checkTopic(log, swapped)).not.toEqual([]);
    }
    const foreign = right.map((message) => ({ ...message, key: randomUUID() }));
    expect(await checkTopic(log, [...right, ...foreign.slice(0, 1)])).toHaveLength(1);
  });
});
