import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import type { BenchService } from "../bench-service.ts";
import { remove } from "../cases/merge.ts";
import { MERGING_MIB, mergeInBackground } from "../cases/merge-memory.ts";
import { submittedCopy } from "../merge-material.ts";
import { peakMemoryOf } from "../peak-memory.ts";
import { type Result, within } from "../report.ts";
import { secondsOf } from "../statistics.ts";

/** So that this process holds little beside the events. */
const PER_REQUEST = 100_000;
/** Of the events of both sources. */
const MERGED_PER_SECOND = 25_000;

/** Merges two catalogues of `size` events each, made a piece at a time, until the result is visible. */
export async function benchLargeMerge({ client, pid }: BenchService, size: number) {
  const sources = ["", ""];
  for (let from = 0; from < size; from += PER_REQUEST) {
    const events = piece(from, Math.min(PER_REQUEST, size - from));
    sources[0] = await add(client, sources[0] ?? "", events);
    sources[1] = await add(client, sources[1] ?? "", submittedCopy(events, from + 2));
  }
  let merged = "";
  let seconds = 0;
  const peak = await peakMemoryOf(pid, async () => {
    seconds = await secondsOf(async () => {
      merged = await mergeInBackground(client, sources);
    });
  });
  for (const id of [merged, ...sources]) await remove(client, id);
  const common = { size: `2 × ${size} events` } as const;
  const results: Result[] = [
    {
      case: "merge in the background",
      ...common,
      unit: "s",
      ...within((2 * size) / MERGED_PER_SECOND, [seconds]),
    },
    { case: "peak memory of it", ...common, unit: "MiB", ...within(MERGING_MIB, [peak]) },
  ];
  return results;
}

function piece(from: number, count: number): JsonObject[] {
  return Array.from(generateEvents(from + 1, count), (event) => ({
    ...event,
    source_id: `${from}-${event["source_id"]}`,
  }));
}

async function add(client: ApiClient, id: string, events: readonly JsonObject[]): Promise<string> {
  const path = id === "" ? "/api/catalogues" : `/api/catalogues/${id}/events`;
  const form = { name: "bench source", events };
  const { status, body } = await client.send<{ id: string }>("POST", path, form);
  if (status >= 300) throw new Error(`adding answered ${status}`);
  return id === "" ? body.id : id;
}
