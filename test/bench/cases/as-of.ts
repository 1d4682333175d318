import { strict as assert } from "node:assert";
import type { ApiClient } from "../../support/api-client.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import type { BenchService } from "../bench-service.ts";
import { openAsking } from "../reading/ask.ts";
import type { Result } from "../report.ts";
import { spreadOf } from "../statistics.ts";

const TARGET = 1.5;
/** Every fifth event is superseded. */
const SUPERSEDED = 5;

/** What is read, by name. */
const READS = {
  "10,000 filtered events": "/filtered?minMagnitude=1",
  "page of 50": "?pagination=cursor&limit=50",
} as const;

/**
 * The first version of a catalogue, of which a fifth was superseded, against the latest: the median
 * time of the same reads, in turn. The first version has to answer as it did before there was another.
 */
export async function benchAsOf(
  { url, token, client, database }: BenchService,
  count: number,
  repetitions: number,
): Promise<Result[]> {
  const events = [...generateEvents(count, count)];
  const { id } = await post<{ id: string }>(client, "/api/catalogues", { name: "bench", events });
  const asking = openAsking(url, token);
  const path = `/api/catalogues/${id}/events`;
  const reads = Object.entries(READS).map(([name, read]) => ({ name, latest: path + read }));
  const before = new Map<string, string>();
  for (const { name, latest } of reads) before.set(name, await eventsOf(latest));
  const changed = events
    .filter((_, i) => i % SUPERSEDED === 0)
    .map((event) => ({ ...event, region: "superseded" }));
  const { updatedEvents } = await post<{ updatedEvents: number }>(client, path, {
    events: changed,
    updateExisting: true,
  });
  assert.equal(updatedEvents, changed.length);
  await database.query("vacuum (analyze) read_model.seismic_events");

  async function eventsOf(asked: string): Promise<string> {
    return JSON.stringify(JSON.parse((await asking.ask(asked)).body.toString()).events);
  }

  const results: Result[] = [];
  for (const { name, latest } of reads) {
    const old = `${latest}&asOf=1`;
    assert.equal(await eventsOf(old), before.get(name));
    assert.notEqual(await eventsOf(latest), before.get(name));
    const times: [old: number, latest: number][] = [];
    for (let i = 0; i <= repetitions; i += 1) {
      const { milliseconds: mine } = await asking.ask(old);
      const { milliseconds: other } = await asking.ask(latest);
      // The first warms up both sides.
      if (i > 0) times.push([mine, other]);
    }
    const [ours, yardstickFigure] = [
      spreadOf(times.map(([mine]) => mine)),
      spreadOf(times.map(([, other]) => other)),
    ];
    results.push({
      case: `asOf an old version, ${name}`,
      size: `${count} events`,
      unit: "ms",
      ours,
      yardstick: "the latest version",
      yardstickFigure,
      ratio: ours.median / yardstickFigure.median,
      target: TARGET,
    });
  }
  asking.close();
  await client.send("DELETE", `/api/catalogues/${id}`);
  return results;
}

async function post<T>(client: ApiClient, path: string, body: unknown): Promise<T> {
  const answer = await client.send<T>("POST", path, body);
  if (answer.status >= 300) throw new Error(`${path} answered ${JSON.stringify(answer.body)}`);
  return answer.body;
}
