import { randomBytes } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { Refusal } from "#contracts/errors.ts";
import { packBulletin, unpackBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { NOBODY } from "#infra/kernel/asker.ts";
import { createBulletinWork } from "#services/commands/bulletins/bulletin-work.ts";
import { type BulletinChange, changeStored } from "#services/commands/bulletins/change-stored.ts";
import { compareStored } from "#services/commands/bulletins/compare-stored.ts";
import { openGatewayThreads } from "#services/gateway/threads/gateway-threads.ts";
import { testRows } from "../../support/test-rows.ts";

const { threads, close } = openGatewayThreads();
afterAll(close);
const work = createBulletinWork(threads.bulletins);

const NOW_MS = Date.parse("2026-05-07T08:24:09Z");

/** With a comment that cannot be compressed, which makes it small or large. */
function bulletinOf(comment: number): Bulletin {
  const origin = (id: string, depth: number) => ({
    publicID: `smi:test.local/${id}`,
    time: { value: "2024-05-07T08:24:09.853Z" },
    latitude: { value: -41.5 },
    longitude: { value: 174.25 },
    depth: { value: depth },
  });
  return {
    publicID: "smi:test.local/event",
    preferredOriginID: "smi:test.local/o1",
    comment: [{ text: `尺度 ${randomBytes(comment).toString("base64")}` }],
    origin: [origin("o1", 5_000), origin("o2", 9_000)],
    magnitude: [{ publicID: "smi:test.local/m1", mag: { value: 5 }, type: "ML" }],
  };
}

const CHANGES: readonly BulletinChange[] = [
  { kind: "prefer", preferred: { originID: "smi:test.local/o2" } },
  { kind: "comment", comment: { id: "smi:test.local/c", text: "reviewed – 熊本" } },
  {
    kind: "delete",
    solution: { kind: "origin", publicID: "smi:test.local/o2" },
    cascade: true,
  },
];

describe.each([
  ["small", 100],
  ["large", 100_000],
])("a %s bulletin", (_, size) => {
  const before = bulletinOf(size);
  const { pieces: source } = packBulletin(before);
  const make = work.changeFor(NOBODY);

  testRows(
    "is changed alike in a thread and without",
    CHANGES.map((change) => [change.kind, change] as const),
    async (_kind, change) => {
      const task = { source, change, nowMs: NOW_MS };
      const changed = await make(task);
      const here = await changeStored(task);
      if (changed === null || here === null) throw new Error("the change changes something");
      expect(changed.packed.sha256).toBe(here.packed.sha256);
      expect(changed.packed.counts).toEqual(here.packed.counts);
      expect(changed.row).toEqual(here.row);
      const after = unpackBulletin(changed.packed.pieces);
      expect(after.comment?.[0]).toEqual(before.comment?.[0]);
      expect(changed.row).toMatchObject({ depth: change.kind === "prefer" ? 9 : 5 });
      const deleted = change.kind === "delete" ? [change.solution] : [];
      expect(changed.deleted).toEqual(deleted);
    },
  );

  test("is null where a change changes nothing", async () => {
    const change: BulletinChange = { kind: "prefer", preferred: {} };
    expect(await make({ source, change, nowMs: NOW_MS })).toBe(
      await changeStored({ source, change, nowMs: NOW_MS }),
    );
  });

  test("is refused with the code and the words of the rule", async () => {
    const preferred = { originID: "smi:test.local/none" };
    const made = make({ source, change: { kind: "prefer", preferred }, nowMs: NOW_MS });
    await expect(made).rejects.toThrow(Refusal);
    await expect(made).rejects.toMatchObject({ code: "CONFLICT" });
  });

  test("differs from another by its solutions, and from none by all", async () => {
    const other = packBulletin({ ...before, origin: before.origin?.slice(0, 1) ?? [] }).pieces;
    const task = { before: source, after: other };
    const { solutions } = await work.compare(task, NOBODY);
    expect(solutions).toEqual([
      { kind: "origin", publicID: "smi:test.local/o2", change: "removed" },
    ]);
    const added = { before: null, after: source };
    expect(await work.compare(added, NOBODY)).toEqual(compareStored(added));
  });
});

test("a bulletin that a change makes too large is refused", async () => {
  const text = "x".repeat(65 * 1024 * 1024);
  const { pieces: source } = packBulletin(bulletinOf(100_000));
  const change: BulletinChange = { kind: "comment", comment: { text } };
  await expect(work.changeFor(NOBODY)({ source, change, nowMs: NOW_MS })).rejects.toMatchObject({
    code: "VALIDATION_ERROR",
  });
});
