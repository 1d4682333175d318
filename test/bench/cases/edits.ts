import { strict as assert } from "node:assert";
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import { catalogueStream } from "#contracts/names.ts";
import { fromRecorded, toNewEvents } from "#infra/event-log/domain-events.ts";
import { createPostgresEventLog } from "#infra/event-log/postgres/postgres-event-log.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { catalogueOf } from "../bench-catalogue.ts";
import type { BenchService } from "../bench-service.ts";
import type { Result } from "../report.ts";
import { secondsOf, spreadOf } from "../statistics.ts";

const TARGET = 1.2;
const EVENTS = 1_000;
const YOUNG = 10;
/** Events in one append, which may have a megabyte. */
const APPENDED = 1_000;

/** An edit of one event in a catalogue of very many versions, and the same in a young one, in turn. */
export async function benchEdits(
  bench: Pick<BenchService, "client" | "databaseUrl">,
  versions: number,
  rounds: number,
): Promise<Result[]> {
  const { client } = bench;
  const old = await catalogueAt(bench, versions);
  const young = await catalogueAt(bench, YOUNG);
  const ours: number[] = [];
  const others: number[] = [];
  for (let i = 0; i <= rounds; i += 1) {
    const mine = await edit(client, old, i);
    const other = await edit(client, young, i);
    // The first reads what no state is kept of yet.
    if (i > 0) ours.push(mine);
    if (i > 0) others.push(other);
  }
  for (const { id } of [old, young]) await client.send("DELETE", `/api/catalogues/${id}`);
  const [spread, yardstickFigure] = [spreadOf(ours), spreadOf(others)];
  return [
    {
      case: "an edit of a catalogue of many versions",
      size: `${versions} versions`,
      unit: "ms",
      ours: spread,
      yardstick: `at version ${YOUNG}`,
      yardstickFigure,
      ratio: spread.median / yardstickFigure.median,
      target: TARGET,
    },
  ];
}

type Edited = { readonly id: string; readonly events: readonly string[] };

async function edit(client: ApiClient, { id, events }: Edited, round: number): Promise<number> {
  const path = `/api/catalogues/${id}/events/${events[round % events.length]}`;
  const seconds = await secondsOf(async () => {
    const { status } = await client.send("PATCH", path, { depth: 1 + round / 1_000 });
    assert.equal(status, 200);
  });
  return 1_000 * seconds;
}

/** A catalogue whose versions after the first change nothing, appended to the log as they would be written. */
async function catalogueAt(
  { client, databaseUrl }: Pick<BenchService, "client" | "databaseUrl">,
  last: number,
): Promise<Edited> {
  const id = await catalogueOf(client, EVENTS);
  const path = `/api/catalogues/${id}`;
  const { body } = await client.get<{ events: { id: string }[] }>(`${path}/events?limit=100`);
  const log = await createPostgresEventLog(databaseUrl);
  try {
    const stream = catalogueStream(id);
    const written = await log.read(stream, 0, APPENDED);
    const commit = written.map(fromRecorded).find(({ type }) => type === "RevisionCommitted");
    if (commit?.type !== "RevisionCommitted") throw new Error("no version");
    const counts = { chunks: 0, added: 0, updated: 0, removed: 0 };
    const origin = { commandId: randomUUID(), actor: "system", at: new Date() };
    let revision = written.length - 1;
    for (let version = 2; version <= last; ) {
      const events = [];
      for (; version <= last && events.length < APPENDED; version += 1) {
        const data = { ...commit.data, ...counts, cause: "edit", revision: version } as const;
        const opened = { catalogueId: id, revision: version, cause: "edit", worker: "-" } as const;
        events.push({ type: "RevisionOpened", data: opened } as const);
        events.push({ type: "RevisionCommitted", data } as const);
      }
      await log.append(stream, revision, toNewEvents(stream, revision + 1, events, origin));
      revision += events.length;
    }
  } finally {
    await log.close();
  }
  while ((await client.get<Catalogue>(path)).body.version < last) await setTimeout(200);
  return { id, events: body.events.map((event) => event.id) };
}
