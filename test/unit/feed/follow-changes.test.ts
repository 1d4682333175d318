import fc from "fast-check";
import { expect, test } from "vitest";
import type { EventPredicate } from "#contracts/query/predicate.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { GUEST } from "#projections/read/rights.ts";
import { AS_MESSAGES, createFeedBlocks } from "#services/gateway/feed/blocks.ts";
import { createFeedTurns, openFeed } from "#services/gateway/feed/feeds.ts";
import { followChanges } from "#services/gateway/feed/follow.ts";
import { createFeedStreams, createStreamPlaces } from "#services/gateway/feed/streams.ts";
import { createVersionHistories } from "#services/versions/history.ts";
import { appliedLine, createAppliedFeed } from "../../support/applied-feed.ts";
import type { FeedMessage } from "../../support/feed-client.ts";
import { silentLogger } from "../../support/logger.ts";
import {
  arbitrarySteps,
  type RecordedHistory,
  recordHistory,
} from "../../support/recorded-history.ts";
import { runs } from "../../support/runs.ts";

/** Follows histories of the past; what was before a version is known from the model. */
function follower({ log, catalogueId, states }: RecordedHistory) {
  const versionHistories = createVersionHistories(log);
  const blocks = createFeedBlocks({
    log,
    readBefore: async ({ entry }, ids) => {
      const before = states[entry.version - 1] ?? new Map<string, SeismicEvent>();
      return new Map(ids.flatMap((id) => [[id, before.get(id)] as [string, SeismicEvent]]));
    },
  });
  const streams = createFeedStreams({
    places: createStreamPlaces({ limit: 1_000_000 }),
    presentReaders: async ({ opened }) => new Set(opened),
    logger: silentLogger(),
  });

  /** All messages after a place, up to the end of the last version. */
  return async (after: string, filter: EventPredicate | null, isJoint = false) => {
    const request = { catalogueIds: [catalogueId], isJoint, lastEventId: undefined, reader: GUEST };
    const opened = await openFeed(versionHistories, {
      ...request,
      query: { after, control: "true" },
    });
    const following = { ...opened, filter, form: AS_MESSAGES };
    const reader = { kind: "guest" } as const;
    const stream = streams.open(
      { catalogueIds: [catalogueId], reader, beatMs: 60_000, cut: () => undefined },
      { caller: "network 1", network: "1" },
    );
    const deps = { versionHistories, blocks, turn: createFeedTurns() };
    const messages: FeedMessage[] = [];
    const last = states.length - 1;
    for await (const piece of followChanges(deps, following, stream)) {
      const message: FeedMessage = JSON.parse(String(piece));
      messages.push(message);
      if (message.action === "version" && message.data?.["version"] === last) break;
    }
    stream.close();
    return messages.slice(1);
  };
}

test("what a client applies of a feed is each version, whole and once", async () => {
  await fc.assert(
    fc.asyncProperty(arbitrarySteps, async (steps) => {
      const history = await recordHistory(steps);
      const messages = await follower(history)("0", null);
      const applied = createAppliedFeed();
      for (const message of messages) {
        applied.apply(message);
        if (message.action !== "version") continue;
        const rows = [...(history.states[applied.version()] ?? [])];
        expect(new Map(applied.lines)).toEqual(
          new Map(rows.map(([id, event]) => [id, appliedLine(event)])),
        );
      }
      expect(applied.faults).toEqual([]);
      expect(applied.version()).toBe(steps.length);
      expect(messages).toHaveLength(history.changes + steps.length);
    }),
    { numRuns: runs(60) },
  );
});

test("with a filter it is the events of each version that satisfy the filter", async () => {
  const filter: EventPredicate = ({ magnitude }) => magnitude !== null && magnitude >= 2;
  await fc.assert(
    fc.asyncProperty(arbitrarySteps, async (steps) => {
      const history = await recordHistory(steps);
      const lines = new Map<string, number | null>();
      for (const { action, data } of await follower(history)("0", filter)) {
        if (action === "version") {
          const state = history.states[Number(data?.["version"])] ?? new Map();
          const left = [...state].filter(([, event]) => filter(event));
          expect(lines).toEqual(new Map(left.map(([id, event]) => [id, event.magnitude])));
          continue;
        }
        const id = data?.properties?.event_id ?? "";
        const mag = data?.properties?.["mag"] as number;
        expect(lines.has(id)).toBe(action !== "create");
        if (action === "delete") lines.delete(id);
        else lines.set(id, mag);
      }
    }),
    { numRuns: runs(60) },
  );
});

test("wherever a client stopped, it goes on with the rest, alone or among several", async () => {
  await fc.assert(
    fc.asyncProperty(arbitrarySteps, fc.nat(), fc.boolean(), async (steps, stop, isJoint) => {
      const follow = follower(await recordHistory(steps));
      const all = await follow("0", null, isJoint);
      const at = stop % (all.length - 1 || 1);
      const id = all[at]?.id;
      if (id === undefined || at === all.length - 1) return;
      expect(await follow(id, null, isJoint)).toEqual(all.slice(at + 1));
    }),
    { numRuns: runs(60) },
  );
});
