import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Duplicates } from "#contracts/http/events/duplicates.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { thresholdsOf } from "#services/domain/merge/thresholds.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { groupByBruteForce } from "../../support/merge/brute-force.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = clientOf(service, "editor");
const timeAt = (seconds: number) => new Date(Date.UTC(2020, 0, 1, 0, 0, seconds)).toISOString();

type Given = {
  readonly seconds: number;
  readonly latitude?: number;
  readonly magnitude?: number | null;
};

async function catalogueOf(given: readonly Given[]) {
  const events = given.map(({ seconds, latitude = 0, magnitude = 5 }, i) =>
    seismicEvent({ id: `e${i}`, time: timeAt(seconds), latitude, longitude: 0, magnitude }),
  );
  const { id } = await createCatalogue(editor, { events });
  const path = `/api/catalogues/${id}`;
  const find = (body: object) =>
    editor.send<Duplicates>("POST", `${path}/duplicates`, {
      timeThreshold: 10,
      distanceThreshold: 20,
      ...body,
    });
  const list = async () =>
    (await editor.get<{ events: SeismicEvent[] }>(`${path}/export?format=json`)).body.events;
  return { path, find, list };
}

const namesIn = ({ groups }: Duplicates) =>
  groups.map(({ members }) => members.map(({ source_id }) => source_id));

describe("POST …/duplicates", () => {
  test("groups the events that are near each other, and writes nothing", async () => {
    const { path, find, list } = await catalogueOf([
      { seconds: 0 },
      { seconds: 4, latitude: 0.1, magnitude: null },
      { seconds: 100 },
      { seconds: 200 },
      { seconds: 210 },
    ]);
    const before = await list();
    const { status, body, headers } = await find({});
    expect(status).toBe(200);
    expect(headers.get("etag")).toBe('"1"');
    expect(body).toMatchObject({ version: 1, truncated: false });
    expect(namesIn(body)).toEqual([
      ["e0", "e1"],
      ["e3", "e4"],
    ]);
    const [first, second] = before.toReversed();
    expect(body.groups[0]?.members).toEqual(
      [first, second].map((event) => ({
        event_id: event?.id,
        source_id: event?.source_id,
        time: event?.time,
        latitude: event?.latitude,
        longitude: event?.longitude,
        depth: event?.depth,
        magnitude: event?.magnitude,
      })),
    );
    const catalogue = await editor.get(path);
    expect(catalogue.body).toMatchObject({ version: 1, event_count: 5 });
  });

  test("looks at the events that the filters leave, and at magnitudes where their difference is bounded", async () => {
    const { find } = await catalogueOf([
      { seconds: 0, magnitude: 5 },
      { seconds: 1, magnitude: 6 },
      { seconds: 50, magnitude: 8.3 },
      { seconds: 51, magnitude: 7.3 },
      { seconds: 90, magnitude: 3 },
      { seconds: 91, magnitude: null },
    ]);
    expect(namesIn((await find({})).body)).toHaveLength(3);
    expect(namesIn((await find({ magnitudeDifference: 1 })).body)).toEqual([
      ["e0", "e1"],
      ["e2", "e3"],
    ]);
    expect(namesIn((await find({ magnitudeDifference: 0.9 })).body)).toEqual([]);
    const filters = { startTime: timeAt(10), minMagnitude: 7.5 };
    expect(namesIn((await find({ filters })).body)).toEqual([]);
    expect(namesIn((await find({ filters: { maxMagnitude: 6 } })).body)).toEqual([["e0", "e1"]]);
  });

  test("groups as a merge does in which every event is of a source of its own", async () => {
    const anyEvent = fc.record({
      seconds: fc.integer({ min: 0, max: 40 }),
      latitude: fc.integer({ min: 0, max: 4 }).map((north) => north / 10),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyEvent, { minLength: 1, maxLength: 14 }), async (given) => {
        const { find, list } = await catalogueOf(given);
        const origins = (await list()).map((event, source) => ({ ...event, source }));
        const expected = groupByBruteForce(origins, { thresholds: thresholdsOf(10, 20) });
        const { body } = await find({});
        const ids = body.groups.map(({ members }) =>
          members.map(({ event_id }) => event_id).sort(),
        );
        expect(ids.toSorted()).toEqual(expected.filter((group) => group.length > 1).toSorted());
      }),
      { numRuns: runs(40) },
    );
  });

  test("answers the first 1,000 groups, and that there are more", async () => {
    const given = Array.from({ length: 2_002 }, (_, i) => ({
      seconds: Math.floor(i / 2) * 60,
      magnitude: i % 7,
    }));
    const { find } = await catalogueOf(given);
    const { body } = await find({});
    expect([body.groups.length, body.truncated]).toEqual([1_000, true]);
    expect(body.groups[0]?.members[0]?.time).toBe(timeAt(0));
    const fewer = (await find({ filters: { endTime: timeAt(60 * 999) } })).body;
    expect([fewer.groups.length, fewer.truncated]).toEqual([1_000, false]);
  });

  test("names events that one edit removes, to editors, and is refused without what it needs", async () => {
    const { path, find, list } = await catalogueOf([{ seconds: 0 }, { seconds: 1 }]);
    for (const [body, named] of [
      [{ timeThreshold: undefined }, "timeThreshold"],
      [{ distanceThreshold: 1_001 }, "distanceThreshold"],
      [{ magnitudeDifference: -1 }, "magnitudeDifference"],
      [{ filters: { depth: 1 } }, "depth"],
      [{ filters: { minDepth: 2, maxDepth: 1 } }, "minDepth"],
    ] as const) {
      expectRefusal(await find(body), "VALIDATION_ERROR", named);
    }
    const events = (await find({})).body.groups.map(({ members }) => members[1]?.event_id);
    const removal = await editor.send("POST", `${path}/events/remove`, { events });
    expect(removal.body).toEqual({ version: 2, removed: 1 });
    expect(await list()).toHaveLength(1);
    expect((await find({})).body).toEqual({ version: 2, groups: [], truncated: false });
  });
});
