import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type CatalogueEvent, NO_BOUNDS } from "#contracts/events/catalogues.ts";
import { catalogueStream, changeSubject } from "#contracts/events/log.ts";
import { toNewEvents } from "#infra/log/domain-events.ts";
import type { EventLog } from "#infra/log/event-log.ts";
import { catalogueChange } from "#services/publisher/broker.ts";
import { checkChanges } from "../support/check-changes.ts";
import { createInMemoryEventLog } from "../support/in-memory-event-log.ts";
import type { ChangeMessage } from "../support/read-changes.ts";
import { checkTopic } from "./checks.ts";
import type { RecordedMessage } from "./clients.ts";

type Scene = {
  readonly log: EventLog;
  /** Stream and topic as they should be. */
  readonly changes: readonly ChangeMessage[];
  readonly topic: readonly RecordedMessage[];
};

/** A log of one catalogue with a rename and two revisions. */
async function scene(): Promise<Scene> {
  const log = createInMemoryEventLog();
  const catalogueId = randomUUID();
  const commit = (revision: number, added: number): CatalogueEvent => {
    const counts = { chunks: 1, added, updated: 0, removed: 0, eventCount: added };
    const cause = "edit";
    const version = { catalogueId, revision, cause, bounds: NO_BOUNDS, contentHash: "" } as const;
    return { type: "RevisionCommitted", data: { ...counts, ...version } };
  };
  const made = { catalogueId, name: "one", isPublic: false, createdBy: "user_1" };
  const events: CatalogueEvent[] = [
    { type: "CatalogueCreated", data: made },
    commit(1, 2),
    commit(2, 1),
    { type: "CatalogueRenamed", data: { catalogueId, name: "two" } },
  ];
  const origin = { commandId: randomUUID(), actor: "system", at: new Date() };
  const stream = catalogueStream(catalogueId);
  await log.append(stream, -1, toNewEvents(stream, 0, events, origin));
  const recorded = await log.read(stream, 0, 10);
  const changes = recorded.map((event) => {
    const { kind, change } = catalogueChange(event, "https://quakes.example.org");
    const { position } = event;
    const subject = changeSubject(catalogueId, kind);
    return { subject, id: change.id, contentType: "", position, change };
  });
  const [first, second, third, fourth] = recorded.map(({ position }) => position);
  const message = (type: string, position = "", ordinal = 0): RecordedMessage => ({
    key: catalogueId,
    type: `${type}.v1`,
    position,
    ordinal,
  });
  const topic = [
    message("catalogue.created", first),
    message("seismic-event.added", second, 0),
    message("seismic-event.added", second, 1),
    message("catalogue.revision-committed", second, 2),
    message("seismic-event.added", third, 0),
    message("catalogue.revision-committed", third, 1),
    message("catalogue.renamed", fourth),
  ];
  return { log, changes, topic };
}

function describeCheck<M>(
  name: string,
  check: (log: EventLog, messages: readonly M[]) => Promise<readonly string[]>,
  messagesOf: (scene: Scene) => readonly M[],
): void {
  describe(`the check of the ${name}`, () => {
    test("finds nothing wrong with what was published once, or repeated from anywhere", async () => {
      const all = await scene();
      const right = messagesOf(all);
      expect(await check(all.log, right)).toEqual([]);
      for (let from = 0; from < 4; from += 1) {
        expect(await check(all.log, [...right.slice(0, 4), ...right.slice(from)])).toEqual([]);
      }
    });

    test("finds every message that is missing, and those that have changed places", async () => {
      const all = await scene();
      const right = messagesOf(all);
      for (const at of right.keys()) {
        expect(await check(all.log, right.toSpliced(at, 1)), `without ${at}`).toHaveLength(1);
      }
      for (const at of right.slice(1).keys()) {
        const swapped = right.toSpliced(at, 2, ...right.slice(at, at + 2).toReversed());
        expect(await check(all.log, swapped), `${at} and the next`).not.toEqual([]);
      }
    });
  });
}

describeCheck("stream of changes", checkChanges, ({ changes }) => changes);
describeCheck("topic", checkTopic, ({ topic }) => topic);

test("the check of the stream of changes finds every message that tells something else, or nothing of the log", async () => {
  const { log, changes } = await scene();
  for (const [i, message] of changes.entries()) {
    const other = { ...message, id: randomUUID() };
    expect(await checkChanges(log, changes.toSpliced(i, 1, other))).toHaveLength(1);
  }
  const { change } = changes[1] ?? {};
  if (change?.type !== "catalogue-change.version.v1") throw new Error("no version");
  const miscounted = { ...change, data: { ...change.data, event_count: 3 } };
  const wrong = changes.map((m) => (m.change === change ? { ...m, change: miscounted } : m));
  expect(await checkChanges(log, wrong)).toHaveLength(1);
  expect(await checkChanges(createInMemoryEventLog(), changes)).toHaveLength(1);
});

test("the check of the topic finds messages that nothing stands for", async () => {
  const { log, topic } = await scene();
  const foreign = topic.map((message) => ({ ...message, key: randomUUID() }));
  expect(await checkTopic(log, [...topic, ...foreign.slice(0, 1)])).toHaveLength(1);
});
