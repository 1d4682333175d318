import { z } from "zod";
import { catalogueOf } from "../bench-catalogue.ts";
import type { BenchService } from "../bench-service.ts";
import { type Result, within } from "../report.ts";
import { secondsOf } from "../statistics.ts";
import type { Filled } from "./fill.ts";

/** What the longest of others' small writes may take meanwhile. */
const LONGEST_MS = 1_000;
/** Of what filling it took. */
const DELETED_PER_SECOND = 100_000;

const Count = z.tuple([z.object({ left: z.boolean() })]);

/** Deletes a large catalogue, until its rows are gone, while another one is written to. */
export async function deletionOf(bench: BenchService, { id, events }: Filled): Promise<Result[]> {
  const { client, database } = bench;
  const other = await catalogueOf(client, 1);
  const { rows } = await database.query("select key from read_model.catalogues where id = $1", [
    id,
  ]);
  const key = rows[0]?.key;
  const writing = await writeThroughout(bench, other);
  const seconds = await secondsOf(async () => {
    const { status } = await client.send("DELETE", `/api/catalogues/${id}`);
    if (status >= 300) throw new Error(`deleting answered ${status}`);
    for (let isLeft = true; isLeft; ) {
      const found = await database.query(
        "select exists (select from read_model.seismic_events where catalogue_key = $1) as left",
        [key],
      );
      [{ left: isLeft }] = Count.parse(found.rows);
    }
  });
  const waits = await writing.stop();
  await client.send("DELETE", `/api/catalogues/${other}`);
  const size = `${events} events`;
  return [
    {
      case: "deleting until the rows are gone",
      size,
      unit: "s",
      ...within(events / DELETED_PER_SECOND, [seconds]),
    },
    {
      case: "the longest of others' small writes meanwhile",
      size: `${size}, ${waits.length} writes`,
      unit: "ms",
      ...within(LONGEST_MS, [Math.max(...waits)]),
    },
  ];
}

/** Changes the one event of a catalogue over and over, until visible; milliseconds of each. */
async function writeThroughout({ client }: BenchService, id: string) {
  const { body } = await client.get<{ events: [{ id: string }] }>(`/api/catalogues/${id}/events`);
  const path = `/api/catalogues/${id}/events/${body.events[0].id}`;
  const waits: number[] = [];
  let stopped = false;
  const writing = (async () => {
    for (let i = 0; !stopped; i += 1) {
      const started = performance.now();
      const { status } = await client.send("PATCH", path, { magnitude: 1 + (i % 60) / 10 + 0.05 });
      if (status !== 200) throw new Error(`a small write answered ${status}`);
      waits.push(performance.now() - started);
    }
  })();
  writing.catch(() => undefined);
  return {
    stop: async () => {
      stopped = true;
      await writing;
      return waits;
    },
  };
}
