import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { greatCircleKm } from "#contracts/geometry/globe.ts";
import type { MergeEvaluation, MergePreview } from "#contracts/http/merges.ts";
import { Linkage, type MergeConfig } from "#contracts/merges/config.ts";
import type { JsonObject, SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { seismicEvent } from "../../support/api/catalogue.ts";
import {
  exportedEvents,
  merge,
  mergeForm,
  placeOf,
  type Source,
  sourceOf,
} from "../../support/api/merges.ts";
import { endOf } from "../../support/api/operations.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";

const RUNS = 10;
const START_MS = Date.UTC(2016, 10, 13);

/** Some uncertainties, qualities and shared source ids, so that every strategy has what to decide by. */
const attributes = fc.record(
  {
    magnitude_type: fc.constantFrom("ML", "Mw", "mb"),
    used_station_count: fc.integer({ min: 0, max: 40 }),
    magnitude_uncertainty: fc.constantFrom(0.1, 0.3, 0.7),
    horizontal_uncertainty: fc.constantFrom(0.5, 2, 8),
    time_uncertainty: fc.constantFrom(0.1, 0.4),
    depth_uncertainty: fc.constantFrom(1, 3),
    evaluation_mode: fc.constantFrom("manual", "automatic"),
    region: fc.constantFrom("Cook Strait", "Kermadecs"),
  },
  { requiredKeys: [] },
);

/** Events of few minutes and few places, on both sides of the antimeridian: many are near others. */
const event = fc
  .record({
    second: fc.integer({ min: 0, max: 300 }),
    latitude: fc.integer({ min: -10, max: 10 }),
    longitude: fc.integer({ min: -10, max: 10 }),
    magnitude: fc.integer({ min: 10, max: 60 }),
    attributes,
  })
  .map(({ second, latitude, longitude, magnitude, attributes: known }): JsonObject => {
    const east = 179.98 + longitude / 100;
    return {
      time: new Date(START_MS + second * 1000).toISOString(),
      latitude: -30 + latitude / 100,
      longitude: Math.round((east > 180 ? east - 360 : east) * 100) / 100,
      depth: 12,
      magnitude: magnitude / 10,
      ...known,
    };
  });

/** The events of one catalogue; their source ids are those of every other catalogue too. */
const sourceEvents = fc
  .uniqueArray(event, {
    maxLength: 25,
    selector: ({ time, latitude, longitude }) => `${time} ${latitude} ${longitude}`,
  })
  .map((events) => events.map((one, i): JsonObject => ({ source_id: `event ${i}`, ...one })));

const mergeConfig: fc.Arbitrary<MergeConfig> = fc.record({
  timeThreshold: fc.constantFrom(0, 2, 16, 60),
  distanceThreshold: fc.constantFrom(0, 1, 5, 50),
  mergeStrategy: fc.constantFrom("quality", "priority", "average", "newest", "complete"),
  priority: fc.constantFrom("", "SOURCE 1", "source 2", "nobody"),
  linkage: fc.constantFrom(...Linkage.options),
});

const service = sharedService();
const client = service.client("editor");
const sourcesOf = (catalogues: readonly (readonly unknown[])[]): Promise<Source[]> =>
  Promise.all(catalogues.map((events, i) => sourceOf(client, `source ${i + 1}`, events)));

test("every event is in one group, of one event for each source at most, as a preview counts and groups it, whatever the order of the sources", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sourceEvents, { minLength: 2, maxLength: 4 }),
      mergeConfig,
      fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
      async (catalogues, config, order) => {
        const sources = await sourcesOf(catalogues);
        const form = mergeForm(sources, config);
        const { body: preview } = await client.send<MergePreview>(
          "POST",
          "/api/merge/preview",
          form,
        );
        const { success: _, catalogueId, ...counts } = await merge(client, sources, config);
        const events = await exportedEvents(client, catalogueId);
        const groups = events.map(({ source_events: members }) => members ?? []);
        const removed = groups.reduce((sum, members) => sum + members.length - 1, 0);
        expect(counts).toMatchObject({
          eventCount: events.length,
          originalEventCount: catalogues.flat().length,
          duplicateGroups: groups.filter(({ length }) => length > 1).length,
          duplicatesRemoved: removed,
        });
        expect(counts.eventCount + removed).toBe(counts.originalEventCount);
        const members = groups.flat().map(({ event_id: id }) => id);
        expect(new Set(members).size).toBe(counts.originalEventCount);
        for (const group of groups) {
          expect(new Set(group.map(({ catalogue_id: id }) => id)).size).toBe(group.length);
          expect(group.filter(({ chosen }) => chosen)).toHaveLength(1);
        }
        const sourceIds = events.flatMap(({ source_id: id }) => id ?? []);
        expect(new Set(sourceIds).size).toBe(sourceIds.length);

        expect(preview).toMatchObject({ ...counts, truncated: false });
        const originals = new Map<string | null, SeismicEvent>();
        for (const { id } of sources) {
          for (const event of await exportedEvents(client, id)) originals.set(event.id, event);
        }
        const placeById = (id: string | null) =>
          placeOf(originals.get(id) ?? expect.fail(`${id} is not there`));
        for (const { first, second } of preview.ambiguous) {
          expect(first).toMatchObject(placeById(first.event_id));
          expect(second).toMatchObject(placeById(second.event_id));
        }
        const made = groups.map((group) =>
          JSON.stringify(group.map((member) => ({ ...member, ...placeById(member.event_id) }))),
        );
        const previewed = preview.groups.map(({ members: shown }) =>
          JSON.stringify(shown.map(({ score_parts, ...member }) => member)),
        );
        expect(made).toEqual(expect.arrayContaining(previewed));
        expect(previewed).toHaveLength(counts.duplicateGroups);
        for (const { reason } of preview.groups) expect(reason).toMatch(/\S/);
        for (const { score_parts, quality_score } of preview.groups.flatMap((one) => one.members)) {
          const sum = Object.values(score_parts).reduce((all, part) => all + part, 0);
          expect(sum).toBeCloseTo(quality_score, 1);
        }

        const permuted = order.flatMap((at) => sources[at] ?? []);
        const { catalogueId: other, ...others } = await merge(client, permuted, config);
        expect(others).toMatchObject(counts);
        // An export is in order of time, and the time of a merged event may be another source's.
        const idsOf = (all: readonly SeismicEvent[]) =>
          all.map(({ source_events: each }) => each?.map(({ event_id: id }) => id)).sort();
        expect(idsOf(await exportedEvents(client, other))).toEqual(idsOf(events));
      },
    ),
    { numRuns: runs(2 * RUNS) },
  );
});

const editor = service.client("editor");
const at = (seconds: number) => new Date(Date.UTC(2020, 0, 1) + seconds * 1_000).toISOString();

/** An event some seconds after the first, with a truth label unless it is null. */
const labelled = (seconds: number, label: unknown, latitude = 0) =>
  seismicEvent({ time: at(seconds), latitude, longitude: 0, ...(label !== null && { label }) });

const GRID = { truth: "label", timeThresholds: [2, 10, 100], distanceThresholds: [5, 50] };

/** Of few pairs of thresholds, each of which is previewed. */
const GRIDS = { timeThresholds: [2, 20], distanceThresholds: [15] };

const evaluate = (sources: readonly Source[], further: object = {}, config: object = {}) =>
  editor.send<MergeEvaluation>("POST", "/api/merge/evaluate", {
    ...mergeForm(sources, config),
    ...GRID,
    ...further,
  });

describe("POST /api/merge/evaluate", () => {
  test("tells precision and recall of each pair of thresholds, and the worst pairs of the settings", async () => {
    const sources = [
      await sourceOf(editor, "one", [
        labelled(0, "a"),
        labelled(1_000, "b"),
        labelled(2_000, 7),
        labelled(3_000, null),
      ]),
      await sourceOf(editor, "two", [
        labelled(1, "a"),
        labelled(1_008, "other"),
        labelled(2_050, "7"),
        labelled(3_000, "c"),
      ]),
    ];
    const { status, body } = await evaluate(sources);
    expect(status).toBe(200);
    const cell = (timeThreshold: number, distanceThreshold: number, counts: object) => ({
      timeThreshold,
      distanceThreshold,
      ...counts,
    });
    const narrow = { pairs: 1, correct: 1, missed: 1, precision: 1, recall: 0.5 };
    const middle = { pairs: 2, correct: 1, missed: 1, precision: 0.5, recall: 0.5 };
    const wide = { pairs: 3, correct: 2, missed: 0, precision: 2 / 3, recall: 1 };
    expect(body.results).toEqual([
      cell(2, 5, narrow),
      cell(2, 50, narrow),
      cell(10, 5, middle),
      cell(10, 50, middle),
      cell(100, 5, wide),
      cell(100, 50, wide),
    ]);
    expect(body.worst).toMatchObject([
      { verdict: "wrong", time_difference: 8, distance: 0, first: { source: "one" } },
      { verdict: "missed", time_difference: 50, second: { time: at(2_050), source: "two" } },
    ]);
  });

  test("agrees with every pair of a preview's groups, counted one by one", async () => {
    const anyEvent = fc.record({
      seconds: fc.integer({ min: 0, max: 60 }),
      north: fc.integer({ min: 0, max: 3 }),
      label: fc.constantFrom("a", "b", "c", null),
    });
    const anySource = fc.array(anyEvent, { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.array(anySource, { minLength: 2, maxLength: 3 }), async (all) => {
        const sources: Source[] = [];
        for (const [i, events] of all.entries()) {
          const made = events.map(({ seconds, north, label }) =>
            labelled(seconds, label, north / 10),
          );
          sources.push(await sourceOf(editor, `source ${i}`, made));
        }
        const { body } = await evaluate(sources, GRIDS, {
          timeThreshold: 10,
          distanceThreshold: 15,
        });
        const labels = await labelsOf(sources);
        for (const { timeThreshold, distanceThreshold, ...counts } of body.results) {
          const config = { timeThreshold, distanceThreshold };
          expect(counts).toEqual(countedIn(await groupsOf(sources, config), labels));
        }
        const own = await groupsOf(sources, { timeThreshold: 10, distanceThreshold: 15 });
        expect(worstOf(body)).toEqual(expectedWorst(own, labels));
      }),
      { numRuns: runs(25) },
    );
  });

  test("runs in the background where that is preferred, and tells how far it is", async () => {
    const events = [labelled(0, "a")];
    const sources = [await sourceOf(editor, "one", events), await sourceOf(editor, "two", events)];
    const form = { ...mergeForm(sources), ...GRID };
    const path = "/api/merge/evaluate";
    const { status, body } = await editor.send<{ operationId: string }>("POST", path, form, {
      prefer: "respond-async",
    });
    expect(status).toBe(202);
    const job = await endOf(editor, body.operationId);
    expect(job).toMatchObject({
      kind: "evaluate",
      status: "succeeded",
      progress: { done: 6, total: 6, unit: "pairs of thresholds" },
      result: (await evaluate(sources)).body,
    });
  });

  test("is refused without thresholds, with too many, and with a truth that cannot be stored", async () => {
    const sources = [await sourceOf(editor, "one", []), await sourceOf(editor, "two", [])];
    for (const [further, named] of [
      [{ truth: "\0" }, "truth"],
      [{ timeThresholds: [] }, "timeThresholds"],
      [{ distanceThresholds: Array(21).fill(1) }, "distanceThresholds"],
      [{ timeThresholds: [3_601] }, "timeThresholds"],
    ] as const) {
      expectRefusal(await evaluate(sources, further), "VALIDATION_ERROR", named);
    }
  });
});

type Labelled = { readonly label: string | null; readonly source: string; readonly place: Place };
type Place = { readonly time: string; readonly latitude: number; readonly longitude: number };

async function labelsOf(sources: readonly Source[]): Promise<Map<string, Labelled>> {
  const labels = new Map<string, Labelled>();
  for (const { id } of sources) {
    type Exported = { events: (Place & { id: string; extra: { label?: string } | null })[] };
    const { body } = await editor.get<Exported>(`/api/catalogues/${id}/export?format=json`);
    for (const event of body.events) {
      labels.set(event.id, { label: event.extra?.label ?? null, source: id, place: event });
    }
  }
  return labels;
}

async function groupsOf(sources: readonly Source[], config: object): Promise<string[][]> {
  const { body } = await editor.send<MergePreview>(
    "POST",
    "/api/merge/preview",
    mergeForm(sources, config),
  );
  return body.groups.map(({ members }) => members.map(({ event_id }) => event_id));
}

type Pair = readonly [string, string];

function judged(groups: readonly (readonly string[])[], labels: ReadonlyMap<string, Labelled>) {
  const groupOf = new Map(groups.flatMap((ids, i) => ids.map((id) => [id, i] as const)));
  const known = [...labels].filter(([, { label }]) => label !== null);
  const found: Record<"correct" | "wrong" | "missed", Pair[]> = {
    correct: [],
    wrong: [],
    missed: [],
  };
  for (const [i, [a, one]] of known.entries()) {
    for (const [b, other] of known.slice(i + 1)) {
      if (one.source === other.source) continue;
      const isTogether = groupOf.has(a) && groupOf.get(a) === groupOf.get(b);
      const isSame = one.label === other.label;
      if (isTogether) found[isSame ? "correct" : "wrong"].push([a, b]);
      else if (isSame) found.missed.push([a, b]);
    }
  }
  return found;
}

function countedIn(groups: readonly (readonly string[])[], labels: ReadonlyMap<string, Labelled>) {
  const { correct, wrong, missed } = judged(groups, labels);
  const pairs = correct.length + wrong.length;
  const all = correct.length + missed.length;
  return {
    pairs,
    correct: correct.length,
    missed: missed.length,
    precision: pairs === 0 ? null : correct.length / pairs,
    recall: all === 0 ? null : correct.length / all,
  };
}

const worstOf = ({ worst }: MergeEvaluation) =>
  worst.map(({ verdict, first, second }) => [verdict, ...[first.event_id, second.event_id].sort()]);

function expectedWorst(
  groups: readonly (readonly string[])[],
  labels: ReadonlyMap<string, Labelled>,
) {
  const { wrong, missed } = judged(groups, labels);
  const inOrder = (pairs: readonly Pair[], direction: number) =>
    pairs
      .map(([a, b]) => ({ ids: [a, b].sort(), ...measured(a, b, labels) }))
      .toSorted((x, y) => direction * (x.nearness - y.nearness) || x.ranks - y.ranks)
      .map(({ ids }) => ids);
  return [
    ...inOrder(wrong, -1).map((ids) => ["wrong", ...ids]),
    ...inOrder(missed, 1).map((ids) => ["missed", ...ids]),
  ];
}

/** How near two events are, and where they stand in the order of time. */
function measured(a: string, b: string, labels: ReadonlyMap<string, Labelled>) {
  const order = [...labels].toSorted(
    ([x, { place: p }], [y, { place: q }]) =>
      Date.parse(p.time) - Date.parse(q.time) || (x < y ? -1 : 1),
  );
  const [first, second] = [a, b]
    .map((id) => order.findIndex(([one]) => one === id))
    .sort((x, y) => x - y);
  const [p, q] = [a, b].map((id) => labels.get(id)?.place);
  if (!p || !q || first === undefined || second === undefined) throw new Error("no such event");
  const seconds = Math.abs(Date.parse(p.time) - Date.parse(q.time)) / 1_000;
  const nearness = Math.hypot(seconds / 10, greatCircleKm(p, q) / 15);
  return { nearness, ranks: first * order.length + second };
}

test("evaluations of one editor leave a preview of another at the same address its turn", async () => {
  const other = await service.loginAs("admin");
  const many = Array.from({ length: 120 }, (_, i) => labelled(i, `${i}`, (i % 90) / 10));
  const sources = [await sourceOf(editor, "one", many), await sourceOf(editor, "two", many)];
  const few = [
    await sourceOf(other, "one", [labelled(0, "a")]),
    await sourceOf(other, "two", [labelled(1, "a")]),
  ];
  const thresholds = Array.from({ length: 20 }, (_, i) => 10 + i);
  const grid = { timeThresholds: thresholds, distanceThresholds: thresholds };
  const came: string[] = [];
  const evaluated = Array.from({ length: 4 }, async () => {
    expect((await evaluate(sources, grid)).status).toBe(200);
    came.push("evaluation");
  });
  const previewed = await other.send("POST", "/api/merge/preview", mergeForm(few));
  came.push("preview");
  expect(previewed.status).toBe(200);
  await Promise.all(evaluated);
  expect(came.slice(0, 2)).toContain("preview");
});
