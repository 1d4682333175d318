import { strict as assert } from "node:assert";
import { microsToTime, timeToMicros } from "#contracts/seismic-event/origin-time.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { randomOf } from "../../support/generate-catalogue.ts";
import type { BenchService } from "../bench-service.ts";
import { submittedCatalogueAndCopy } from "../merge-material.ts";
import { type Result, within } from "../report.ts";
import { secondsOf, spreadOf } from "../statistics.ts";
import { create, merge, remove } from "./merge.ts";

/** Changes of a source before a refresh, and many. */
const FEW = 100;
const MANY = 1_000;
const SECONDS = 1;
/** What twice the events may cost. */
const FLAT = 1.3;

type Times = { readonly preview: number[]; readonly refresh: number[] };

/**
 * A refresh after 100 changes of a source, and its preview, at two sizes of the sources; and after 1,000, which
 * takes longer.
 */
export async function benchMergeRefresh(
  { client }: BenchService,
  [small, large]: readonly [number, number],
  rounds: number,
): Promise<Result[]> {
  const smaller = await withMerge(client, small, (change) => timesOf(change, FEW, rounds));
  const larger = await withMerge(client, large, async (change) => ({
    few: await timesOf(change, FEW, rounds),
    many: await timesOf(change, MANY, rounds),
  }));
  return [
    ...among(large, larger.few, FEW),
    flat("refresh of a merge", [small, smaller.refresh], [large, larger.few.refresh]),
    flat("preview of a refresh", [small, smaller.preview], [large, larger.few.preview]),
    {
      case: `refresh of a merge, ${MANY} changes`,
      size: `2 × ${large} events`,
      unit: "s",
      ours: spreadOf(larger.many.refresh),
      yardstick: `${FEW} changes`,
      yardstickFigure: spreadOf(larger.few.refresh),
      ratio: spreadOf(larger.many.refresh).median / spreadOf(larger.few.refresh).median,
      target: MANY / FEW,
    },
  ];
}

function among(size: number, { preview, refresh }: Times, changes: number): Result[] {
  const common = { size: `2 × ${size} events`, unit: "s" };
  return [
    { case: `refresh of a merge, ${changes} changes`, ...common, ...within(SECONDS, refresh) },
    { case: `preview of a refresh, ${changes} changes`, ...common, ...within(SECONDS, preview) },
  ];
}

function flat(
  name: string,
  [small, before]: readonly [number, readonly number[]],
  [large, after]: readonly [number, readonly number[]],
): Result {
  const [ours, yardstickFigure] = [spreadOf(after), spreadOf(before)];
  return {
    case: `${name}, ${FEW} changes`,
    size: `2 × ${large} events`,
    unit: "s",
    ours,
    yardstick: `2 × ${small} events`,
    yardstickFigure,
    ratio: ours.median / yardstickFigure.median,
    target: FLAT,
  };
}

/** Changes that many events of a source, then previews and refreshes the merge. */
type Change = (changes: number, round: number) => Promise<{ preview: number; refresh: number }>;

async function timesOf(change: Change, changes: number, rounds: number): Promise<Times> {
  const times: Times = { preview: [], refresh: [] };
  for (let round = 0; round <= rounds; round += 1) {
    const { preview, refresh } = await change(changes, round);
    // The first warms up.
    if (round === 0) continue;
    times.preview.push(preview);
    times.refresh.push(refresh);
  }
  return times;
}

/** Runs `work` beside a merge of a catalogue of `size` events and its displaced copy. */
async function withMerge<T>(
  client: ApiClient,
  size: number,
  work: (change: Change) => Promise<T>,
): Promise<T> {
  const [catalogue, copy] = submittedCatalogueAndCopy(size);
  const sources = [await create(client, catalogue), await create(client, copy)];
  const merged = await merge(client, sources);
  const random = randomOf(size);
  try {
    return await work(async (changes, round) => {
      const chosen = Array.from(
        { length: changes },
        () => copy[Math.floor(random() * size)] ?? {},
      ).map((event) => relocated(event, round, random));
      await update(client, sources[1] ?? "", chosen);
      return timesOfOne(client, merged);
    });
  } finally {
    for (const id of [merged, ...sources]) await remove(client, id);
  }
}

/** Up to 2 s later and 0.02° further north; its depth tells the round. */
function relocated(event: JsonObject, round: number, random: () => number): JsonObject {
  const micros = timeToMicros(String(event["time"])) + BigInt(Math.round(random() * 2e6));
  const latitude = Number(event["latitude"]) + random() * 0.02;
  return { ...event, time: microsToTime(micros, 6), latitude, depth: 1 + round };
}

async function update(
  client: ApiClient,
  source: string,
  events: readonly JsonObject[],
): Promise<void> {
  const path = `/api/catalogues/${source}/events`;
  const answer = await client.send("POST", path, { events, updateExisting: true });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}

type Refreshed = { readonly added: number; readonly updated: number; readonly removed: number };

async function timesOfOne(client: ApiClient, merged: string) {
  const path = `/api/catalogues/${merged}/merge`;
  let expected = 0;
  const preview = await secondsOf(async () => {
    const { status, body } = await client.send<Refreshed>("POST", `${path}/preview`, {});
    assert.equal(status, 200);
    expected = body.added + body.updated + body.removed;
  });
  const refresh = await secondsOf(async () => {
    const { status, body } = await client.send<Refreshed>("POST", `${path}/refresh`, {});
    assert.equal(status, 200);
    assert.equal(body.added + body.updated + body.removed, expected);
  });
  assert.ok(expected > 0);
  return { preview, refresh };
}
