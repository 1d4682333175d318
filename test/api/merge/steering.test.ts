import { beforeAll, describe, expect, test } from "vitest";
import type { MergePreview, MergeResult } from "#contracts/http/merges/merge.ts";
import type { DecidedEvent, MergeDecision } from "#contracts/merge/merge-decision.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { seismicEvent } from "../support/catalogue.ts";
import { decidedEvents, exportedEvents, mergeForm, type Source, sourceOf } from "./merge-scene.ts";

const service = sharedService();
let client: ApiClient;
beforeAll(async () => {
  client = await service.loginAs("editor");
});

/** Events of one place at these times, to be merged under the label. */
async function source(label: string, ...times: string[]) {
  const events = times.map((time, i) => seismicEvent({ time, source_id: `${label}${i}` }));
  const made = await sourceOf(client, label, events);
  return { ...made, events: await decidedEvents(client, made.id) };
}

function decision(type: MergeDecision["type"], ...events: (DecidedEvent | undefined)[]) {
  return { type, events: events.flatMap((event) => event ?? []) };
}

function form(sources: readonly Source[], config: object) {
  const { config: usual, ...others } = mergeForm(
    sources.map(({ id, source: label }) => ({ id, source: label })),
  );
  return { ...others, config: { ...usual, ...config } };
}

/** The ids of the members of the merged events. */
async function merged(sources: readonly Source[], config: object): Promise<string[][]> {
  const { status, body } = await client.send<MergeResult>(
    "POST",
    "/api/merge",
    form(sources, config),
  );
  expect(status).toBe(200);
  const events = await exportedEvents(client, body.catalogueId);
  return events.map((event) => (event.source_events ?? []).map(({ event_id }) => event_id));
}

const ids = (...events: (DecidedEvent | undefined)[]) => events.map((event) => event?.event_id);

describe("a merge", () => {
  test("a merge keeps apart and joins as was decided, whatever the thresholds", async () => {
    const a = await source("A", "2020-01-01T00:00:00Z", "2020-01-05T00:00:00Z");
    const b = await source("B", "2020-01-01T00:00:00Z", "2020-01-06T00:00:00Z");
    expect(await merged([a, b], {})).toHaveLength(3);
    const decisions = [
      decision("different", a.events[0], b.events[0]),
      decision("same", a.events[1], b.events[1]),
    ];
    expect((await merged([a, b], { decisions })).map((one) => one.toSorted()).toSorted()).toEqual(
      [ids(a.events[0]), ids(b.events[0]), ids(a.events[1], b.events[1])]
        .map((one) => one.toSorted())
        .toSorted(),
    );
  });

  test("a merge follows an event whose id was replaced, and goes without one that is gone", async () => {
    const a = await source("A", "2020-01-01T00:00:00Z");
    const b = await source("B", "2020-01-01T00:00:00Z", "2020-03-01T00:00:00Z");
    const decisions = [
      decision("different", a.events[0], b.events[0]),
      decision("same", a.events[0], b.events[1]),
    ];
    const [first, other] = b.events;
    await client.send("DELETE", `/api/catalogues/${a.id}/events/${a.events[0]?.event_id}`);
    await client.send("DELETE", `/api/catalogues/${b.id}/events/${other?.event_id}`);
    const again = { events: [seismicEvent({ time: "2020-01-01T00:00:00Z", source_id: "A0" })] };
    await client.send("POST", `/api/catalogues/${a.id}/events`, again);
    const [replacing] = await decidedEvents(client, a.id);
    expect(replacing?.event_id).not.toBe(a.events[0]?.event_id);
    const groups = await merged([a, b], { decisions });
    expect(groups.toSorted()).toEqual([ids(replacing), ids(first)].toSorted());
  });

  test("a merge has the thresholds of its windows", async () => {
    const a = await source("A", "1906-01-01T00:00:00Z", "2020-01-01T00:00:00Z");
    const b = await source("B", "1906-01-01T00:05:00Z", "2020-01-01T00:05:00Z");
    const early = { to: "1960-01-01T00:00:00Z", timeThreshold: 600, distanceThreshold: 200 };
    expect(await merged([a, b], { windows: [early] })).toHaveLength(3);
    const never = { ...early, timeThreshold: null, distanceThreshold: null };
    expect(await merged([a, b], { windows: [never], timeThreshold: 600 })).toHaveLength(3);
    expect(await merged([a, b], { windows: [{ sources: ["A"], ...early }] })).toHaveLength(4);
  });
});

test("a preview leaves out decided pairs of those that a person should look at", async () => {
  const a = await source("A", "2020-01-01T00:00:00Z");
  const b = await source("B", "2020-01-01T00:00:20Z");
  const preview = async (config: object) =>
    (await client.send<MergePreview>("POST", "/api/merge/preview", form([a, b], config))).body;
  expect((await preview({})).ambiguous).toHaveLength(1);
  const apart = { decisions: [decision("different", a.events[0], b.events[0])] };
  expect(await preview(apart)).toMatchObject({ ambiguous: [], eventCount: 2 });
  const one = { decisions: [decision("same", a.events[0], b.events[0])] };
  expect(await preview(one)).toMatchObject({ ambiguous: [], eventCount: 1, duplicateGroups: 1 });
});
