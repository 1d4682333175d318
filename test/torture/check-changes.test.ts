import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type CatalogueEvent, NO_BOUNDS } from "#contracts/domain-events/catalogue-events.ts";
import { catalogueStream, changeSubject } from "#contracts/names.ts";
import { toNewEvents } from "#infra/event-log/domain-events.ts";
import type { EventLog } from "#infra/event-log/event-log.ts";
import { catalogueChange } from "#services/publisher/catalogue-change.ts";
import { checkChanges } from "../support/check-changes.ts";
import { createInMemoryEventLog } from "../support/in-memory-event-log.ts";
import type { ChangeMessage } from "../support/read-changes.ts";

/** A log of one catalogue with a rename and a version, and the stream as it should be. */
async function scene(): Promise<{ log: EventLog; right: ChangeMessage[] }> {
  const log = createInMemoryEventLog();
  const catalogueId = randomUUID();
  const counts = { chunks: 1, added: 2, updated: 0, removed: 0, eventCount: 2 };
  const events: CatalogueEvent[] = [
    {
      type: "CatalogueCreated",
      data: { catalogueId, name: "one", isPublic: false, createdBy: "user_1" },
    },
    { type: "CatalogueRenamed", data: { catalogueId, name: "two" } },
    {
      type: "RevisionCommitted",
      data: {
        ...counts,
        catalogueId,
        revision: 1,
        cause: "edit",
        bounds: NO_BOUNDS,
        contentHash: "",
      },
    },
  ];
  const origin = { commandId: randomUUID(), actor: "system", at: new Date() };
  const stream = catalogueStream(catalogueId);
  await log.append(stream, -1, toNewEvents(stream, 0, events, origin));
  const right = (await log.read(stream, 0, 10)).map((recorded) => {
    const { kind, change } = catalogueChange(recorded, "https://quakes.example.org");
    return {
      subject: changeSubject(catalogueId, kind),
      id: change.id,
      contentType: "",
      position: recorded.position,
      change,
    };
  });
  return { log, right };
}

describe("the check of the stream of changes", () => {
  test("finds nothing wrong with what was published once, or repeated from anywhere", async () => {
    const { log, right } = await scene();
    expect(await checkChanges(log, right)).toEqual([]);
    for (const from of right.keys()) {
      expect(await checkChanges(log, [...right, ...right.slice(from)])).toEqual([]);
    }
  });

  test("finds every message that is missing, has changed its place or tells something else", async () => {
    const { log, right } = await scene();
    for (const [i, message] of right.entries()) {
      expect(await checkChanges(log, right.toSpliced(i, 1))).toHaveLength(1);
      const other = { ...message, id: randomUUID() };
      expect(await checkChanges(log, right.toSpliced(i, 1, other))).toHaveLength(1);
    }
    expect(await checkChanges(log, right.toReversed())).toHaveLength(1);
    const { change } = right[2] ?? {};
    if (change?.type !== "catalogue-change.version.v1") throw new Error("no version");
    const miscounted = { ...change, data: { ...change.data, event_count: 3 } };
    const wrong = right.map((m) => (m.change === change ? { ...m, change: miscounted } : m));
    expect(await checkChanges(log, wrong)).toHaveLength(1);
  });

  test("finds messages of which the log does not know", async () => {
    const { right } = await scene();
    expect(await checkChanges(createInMemoryEventLog(), right)).toHaveLength(1);
  });
});
