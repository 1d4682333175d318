import { createHash, hash, randomBytes } from "node:crypto";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { Refusal } from "#contracts/errors.ts";
import { MAX_BULLETIN_BYTES } from "#contracts/seismic-event/bulletin-objects.ts";
import {
  BulletinTooLarge,
  CorruptBulletin,
  DICTIONARY,
  PARTS,
  packBulletin,
  sealBulletin,
  unpackBulletin,
} from "#infra/bulletins/packed-bulletin.ts";
import { NOBODY } from "#infra/kernel/fair-queue.ts";
import { changeIn, compareIn } from "#services/bulletins/work.ts";
import { type BulletinChange, changeStored, compareStored } from "#services/bulletins/worker.ts";
import { openGatewayThreads } from "#services/threads.ts";
import { anyBulletin } from "../../support/bulletins/any-bulletin.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";

const { threads, close } = openGatewayThreads("");
afterAll(close);

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
  const make = changeIn(threads, NOBODY);

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
    const { solutions } = await compareIn(threads, task, NOBODY);
    expect(solutions).toEqual([
      { kind: "origin", publicID: "smi:test.local/o2", change: "removed" },
    ]);
    const added = { before: null, after: source };
    expect(await compareIn(threads, added, NOBODY)).toEqual(compareStored(added));
  });
});

test("a bulletin that a change makes too large is refused", async () => {
  const text = "x".repeat(65 * 1024 * 1024);
  const { pieces: source } = packBulletin(bulletinOf(1));
  const change: BulletinChange = { kind: "comment", comment: { text } };
  await expect(changeIn(threads, NOBODY)({ source, change, nowMs: NOW_MS })).rejects.toMatchObject({
    code: "VALIDATION_ERROR",
  });
});

/** Above the size up to which a bulletin is whole in its head. */
function largeBulletin(picks = 200): Bulletin {
  const bulletin = smallBulletin();
  const [pick] = bulletin.pick ?? [];
  if (pick === undefined) throw new Error("no pick");
  const list = Array.from({ length: picks }, (_, i) => ({ ...pick, publicID: `smi:a/${i}` }));
  return { ...bulletin, pick: list };
}

describe("a packed bulletin", () => {
  test("is unpacked with the same hash, whatever it has", () => {
    fc.assert(
      fc.property(anyBulletin, (bulletin) => {
        const { pieces, sha256, counts } = packBulletin(bulletin);
        const unpacked = unpackBulletin(pieces);
        expect(sealBulletin(unpacked)).toMatchObject({ sha256, counts });
      }),
      { numRuns: runs(100) },
    );
  });

  test("is one piece where it is small, and three parts where it is not", () => {
    const partsOf = (bulletin: Bulletin) => packBulletin(bulletin).pieces.map(({ part }) => part);
    expect(partsOf(smallBulletin())).toEqual([PARTS.head]);
    expect(partsOf(largeBulletin())).toEqual([PARTS.head, PARTS.picks, PARTS.amplitudes]);
  });

  test("holds no more memory than its bytes", () => {
    for (const { bytes } of packBulletin(largeBulletin()).pieces) {
      expect(bytes.buffer.byteLength).toBe(bytes.length);
    }
  });

  test("gives its head without the other parts", () => {
    const { pieces } = packBulletin(largeBulletin());
    const head = unpackBulletin(pieces.filter(({ part }) => part === PARTS.head));
    expect(head.magnitude).toHaveLength(2);
    expect(head.origin?.[0]).not.toHaveProperty("arrival");
    expect(head).not.toHaveProperty("pick");
  });

  test("is cut into pieces that cannot be larger than half a mebibyte by much", () => {
    const text = Array.from({ length: 40_000 }, (_, i) => hash("sha256", `${i}`)).join("");
    const bulletin = { ...largeBulletin(), comment: [{ text }] };
    const { pieces, sha256 } = packBulletin(bulletin);
    expect(pieces.filter(({ part }) => part === PARTS.head).length).toBeGreaterThan(4);
    expect(Math.max(...pieces.map(({ bytes }) => bytes.length))).toBeLessThan(525_000);
    expect(sealBulletin(unpackBulletin(pieces)).sha256).toBe(sha256);
  });

  test("is refused with a flipped bit or without its last byte", () => {
    const [piece] = packBulletin(smallBulletin()).pieces;
    if (piece === undefined) throw new Error("no piece");
    for (const at of [0, 10, piece.bytes.length >> 1, piece.bytes.length - 1]) {
      const bytes = Buffer.from(piece.bytes);
      bytes[at] = (bytes[at] ?? 0) ^ 0x10;
      expect(() => unpackBulletin([{ ...piece, bytes }])).toThrow(CorruptBulletin);
    }
    const bytes = piece.bytes.subarray(0, -1);
    expect(() => unpackBulletin([{ ...piece, bytes }])).toThrow(CorruptBulletin);
  });

  test("is read with the dictionary with which every one was written", () => {
    expect(hash("sha256", DICTIONARY)).toBe(
      "234638dd08848548d3915d99c3617a313a5f5c7bb1448a6f9595a0cc0f3699dc",
    );
  });
});

describe("a sealed bulletin", () => {
  test("has the hash and the size of its members sorted by name", () => {
    const { json, sha256, counts } = sealBulletin({ type: "earthquake", publicID: "smi:é/1" });
    expect(json).toBe('{"publicID":"smi:é/1","type":"earthquake"}');
    expect(sha256).toBe(createHash("sha256").update(json, "utf8").digest("hex"));
    expect(counts.bytes).toBe(Buffer.byteLength(json));
  });

  test("does not depend on the order of members, but on that of lists", () => {
    const bulletin = smallBulletin();
    const reversed = Object.fromEntries(Object.entries(bulletin).reverse()) as Bulletin;
    expect(sealBulletin(reversed)).toEqual(sealBulletin(bulletin));
    const { magnitude = [] } = bulletin;
    const turned = { ...bulletin, magnitude: magnitude.toReversed() };
    expect(sealBulletin(turned).sha256).not.toBe(sealBulletin(bulletin).sha256);
  });

  test("counts elements of each kind", () => {
    expect(sealBulletin(smallBulletin()).counts).toMatchObject({
      origins: 2,
      magnitudes: 2,
      station_magnitudes: 1,
      amplitudes: 1,
      picks: 2,
      arrivals: 2,
      focal_mechanisms: 0,
      comments: 1,
    });
  });

  test("is refused above a million elements, and above 64 MiB", () => {
    const pick = smallBulletin().pick?.[0];
    if (pick === undefined) throw new Error("no pick");
    const many = { publicID: "smi:a/1", pick: new Array(1_000_001).fill(pick) };
    expect(() => sealBulletin(many)).toThrow(BulletinTooLarge);
    const comment = [{ text: "x".repeat(MAX_BULLETIN_BYTES) }];
    expect(() => sealBulletin({ publicID: "smi:a/1", comment })).toThrow("more than 64 MiB");
  });
});
