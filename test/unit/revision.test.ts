import { expect, test } from "vitest";
import type { EventLog, Position } from "#infra/log/event-log.ts";
import { NotVisibleYet } from "#projections/engine/progress.ts";
import type { ExistingCatalogue } from "#services/domain/catalogues/catalogue.ts";
import { appendChunks } from "#services/revision.ts";
import { createInMemoryEventLog } from "../support/in-memory-event-log.ts";

const COMMAND = { id: "00000000-0000-4000-8000-000000000001", actor: "user" };
const CATALOGUE = {
  catalogueId: "00000000-0000-4000-8000-000000000002",
  lastRevision: 1,
  contentHash: "",
} as ExistingCatalogue;

const CHUNKS = 30;
/** So large that each is an append of its own. */
const chunk = { bytes: new Uint8Array(200_000), sha256: "", count: 1 };

/** How many appends were behind the one that was waited for, at each wait. */
async function waits(wait: () => Promise<void>): Promise<number[]> {
  const all = createInMemoryEventLog();
  const positions: (Position | null)[] = [];
  const append: EventLog["append"] = async (...asked) => {
    const appended = await all.append(...asked);
    positions.push(appended.position);
    return appended;
  };
  const behind: number[] = [];
  const context = {
    log: { ...all, append },
    now: () => new Date(0),
    untilVisible: (_: string, position: Position | null) => {
      behind.push(positions.length - 1 - positions.indexOf(position));
      return wait();
    },
  };
  const chunks = Array.from({ length: CHUNKS }, () => chunk);
  const written = await appendChunks(context, COMMAND, CATALOGUE, chunks);
  expect(written.chunks).toBe(CHUNKS);
  return behind;
}

test("a revision is never written far ahead of the read model, behind which others wait", async () => {
  const behind = await waits(async () => undefined);
  expect(behind).toEqual(Array.from({ length: CHUNKS - 8 }, () => 8));
});

test("where the read model does not move, the revision is written all the same after one wait", async () => {
  const behind = await waits(() => Promise.reject(new NotVisibleYet()));
  expect(behind).toEqual([8]);
});
