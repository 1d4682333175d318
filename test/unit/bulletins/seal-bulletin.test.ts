import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { MAX_BULLETIN_BYTES } from "#contracts/bulletin/limits.ts";
import { BulletinTooLarge, sealBulletin } from "#infra/bulletins/seal-bulletin.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";

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
