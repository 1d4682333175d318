import { strict as assert } from "node:assert";
import type { Client } from "pg";
import { startBenchService } from "../bench-service.ts";
import { openAsking } from "../reading/ask.ts";
import { type Result, within } from "../report.ts";

const TARGET_MS = 2;
const WARM_UP = 100;
/** Of the table of events, which this case does not use: filling takes half the time without them. */
const OTHER_INDEXES = ["time", "magnitude", "place"];

type IdSizes = {
  readonly events: number;
  /** How many catalogues the reader may read, in turn; the events are spread over the most. */
  readonly catalogues: readonly number[];
  readonly asked: number;
};

/** The events of an id, in all catalogues that a guest may read. */
export async function benchIds({ events, catalogues, asked }: IdSizes): Promise<Result[]> {
  const bench = await startBenchService();
  try {
    const most = Math.max(...catalogues);
    await fill(bench.database, events, most);
    const results: Result[] = [];
    for (const count of catalogues) {
      await publish(bench.database, count);
      const figures = await answers(bench.url, asked, (i) => idAt(i, events, most, count));
      results.push({
        case: "events of any id",
        size: `${2 * events} ids, ${count} catalogues to read`,
        unit: "ms",
        ...within(TARGET_MS, figures),
      });
    }
    return results;
  } finally {
    await bench.close();
  }
}

/** Event i lies in catalogue i % catalogues. */
async function fill(database: Client, events: number, catalogues: number): Promise<void> {
  for (const name of OTHER_INDEXES) {
    await database.query(`drop index read_model.seismic_events_${name}`);
  }
  await database.query(
    `insert into read_model.catalogues (key, id, name, is_public, created_by, created_at, updated_at,
       status, version, event_count)
     select 1000000 + i, gen_random_uuid(), 'ids', false, 'user_1_bench', now(), now(), 'active', 1, 0
     from generate_series(0, $1 - 1) i`,
    [catalogues],
  );
  await database.query(
    `insert into read_model.seismic_events (catalogue_key, revision_from, event_id, time, time_digits,
       latitude, longitude, source_id, extra)
     select key, 1, (left(id::text, 14) || '8' || substr(id::text, 16, 3) || '-8000-0001'
         || lpad(to_hex(i), 8, '0'))::uuid,
       timestamptz '2000-01-01' + i * interval '1 min', 0, i % 180 - 90, i % 360 - 180, 'ev' || i,
       json_build_object('public_id', 'smi:org.example/event/ev' || i)
     from generate_series(0, $1 - 1) i
     join read_model.catalogues on key = 1000000 + i % $2`,
    [events, catalogues],
  );
  await database.query("vacuum analyze read_model.seismic_events");
  await database.query("vacuum analyze read_model.catalogues");
}

async function publish(database: Client, count: number): Promise<void> {
  await database.query(
    `update read_model.catalogues set is_public = key < 1000000 + $1,
       public_from = case when key < 1000000 + $1 then 1 end where name = 'ids'`,
    [count],
  );
}

/** An id of an event of one of the first `count` catalogues: source ids and public ids in turn. */
function idAt(i: number, events: number, most: number, count: number): string {
  const row = ((i * 7_919) % Math.floor(events / most)) * most + (i % count);
  return i % 2 === 0 ? `ev${row}` : `smi:org.example/event/ev${row}`;
}

async function answers(url: string, asked: number, id: (i: number) => string): Promise<number[]> {
  const asking = openAsking(url);
  const figures: number[] = [];
  for (let i = -WARM_UP; i < asked; i += 1) {
    const path = `/api/events/by-id/${encodeURIComponent(id(i + WARM_UP))}`;
    const { body, milliseconds } = await asking.ask(path);
    assert.equal(JSON.parse(body.toString()).events.length, 1);
    if (i >= 0) figures.push(milliseconds);
  }
  asking.close();
  return figures;
}
