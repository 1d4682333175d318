import { strict as assert } from "node:assert";
import { setTimeout } from "node:timers/promises";
import type { Job } from "#contracts/http/jobs.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import type { BenchService } from "../bench-service.ts";
import { submittedCopy } from "../merge-material.ts";
import { peakMemoryOf } from "../peak-memory.ts";
import { type Result, within } from "../report.ts";
import { create, mergeForm, remove } from "./merge.ts";

/** Resident memory that a merge may take, MiB. */
export const MERGING_MIB = 1_536;
const POLLS_MS = 500;
/** So that this process holds little beside the events. */
const PER_REQUEST = 100_000;

/** Resident memory of a service that has done nothing else while it merges three sources of `size` events each. */
export async function benchMergeMemory(
  { client, startAnother }: BenchService,
  size: number,
): Promise<Result[]> {
  const events = [...generateEvents(1, size)];
  const sources = [await create(client, events, PER_REQUEST)];
  for (const seed of [2, 3]) {
    sources.push(await create(client, submittedCopy(events, seed), PER_REQUEST));
  }
  const { process, signIn } = await startAnother();
  try {
    const fresh = await signIn();
    let merged = "";
    const peak = await peakMemoryOf(process.pid, async () => {
      merged = await mergeInBackground(fresh, sources);
    });
    for (const id of [merged, ...sources]) await remove(client, id);
    return [
      {
        case: "peak memory while merging",
        size: `3 × ${size} events`,
        unit: "MiB",
        ...within(MERGING_MIB, [peak]),
      },
    ];
  } finally {
    await process.stop();
  }
}

/** A request would end before so large a merge does. */
export async function mergeInBackground(
  client: ApiClient,
  sources: readonly string[],
): Promise<string> {
  const prefer = { prefer: "respond-async" };
  const body = mergeForm(sources);
  const started = await client.send<{ operationId: string }>("POST", "/api/merge", body, prefer);
  assert.equal(started.status, 202);
  for (;;) {
    const path = `/api/operations/${started.body.operationId}`;
    const { operation } = (await client.get<{ operation: Job }>(path)).body;
    assert.notEqual(operation.status, "failed", JSON.stringify(operation));
    if (operation.status === "succeeded") {
      const { catalogueId } = operation.result as { catalogueId: string };
      return catalogueId;
    }
    await setTimeout(POLLS_MS);
  }
}
