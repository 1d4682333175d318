import { hash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { PARTS } from "#infra/bulletins/bulletin-parts.ts";
import { DICTIONARY } from "#infra/bulletins/dictionary.ts";
import { CorruptBulletin, packBulletin, unpackBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { sealBulletin } from "#infra/bulletins/seal-bulletin.ts";
import { anyBulletin } from "../../support/bulletins/any-bulletin.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { runs } from "../../support/runs.ts";

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
