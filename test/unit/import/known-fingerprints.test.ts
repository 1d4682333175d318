import fc from "fast-check";
import { expect, test } from "vitest";
import { openKnownFingerprints } from "#services/domain/import/known-fingerprints.ts";

/** Few enough that many come again. */
const anyId = fc.oneof(
  fc.nat(3_000).map((n) => `smi:nz.org.geonet/2024p${n}`),
  fc.string({ unit: "binary", maxLength: 3 }),
  fc.constantFrom("", "é", "e\u0301", "𐐷", "a\0", "a", "x".repeat(70_000)),
);
const anyFingerprint = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

test("what is known of ids equals a plain map, also when it was packed in between", () => {
  const anyStep = fc.record({
    puts: fc.array(fc.tuple(anyId, anyFingerprint), { maxLength: 3_000 }),
    thoroughMs: fc.option(fc.nat()),
    parts: fc.record({ done: fc.nat(2), toMs: fc.integer() }),
  });
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 4 }), fc.array(anyId), (steps, others) => {
      const oracle = new Map<string, bigint>();
      let known = openKnownFingerprints(null);
      for (const { puts, thoroughMs, parts } of steps) {
        for (const [id, fingerprint] of puts) {
          expect(known.get(id)).toBe(oracle.get(id) ?? 0n);
          known.put(id, fingerprint);
          oracle.set(id, fingerprint);
        }
        known = openKnownFingerprints(known.pack(thoroughMs, parts));
        expect([known.thoroughMs, known.parts]).toEqual([thoroughMs, parts]);
        expect(known.size()).toBe(oracle.size);
      }
      for (const id of [...oracle.keys(), ...others]) {
        expect(known.get(id)).toBe(oracle.get(id) ?? 0n);
      }
    }),
    { numRuns: 50 },
  );
});

test("a form that is not known is as if nothing were known", () => {
  const known = openKnownFingerprints(null);
  known.put("2024p1", 5n);
  const packed = known.pack(7);
  packed[0] = 9;
  for (const bytes of [packed, new Uint8Array()]) {
    const { thoroughMs, size, get } = openKnownFingerprints(bytes);
    expect([thoroughMs, size(), get("2024p1")]).toEqual([null, 0, 0n]);
  }
});

test("what was packed before windows were read in parts is read on", () => {
  // Form 1: a time of 7, one entry, its fingerprint 5, and "2024p1".
  const packed = Buffer.from(
    "01" + "0000000000001c40" + "01000000" + "0500000000000000" + "06000000" + "323032347031",
    "hex",
  );
  const known = openKnownFingerprints(packed);
  expect([known.thoroughMs, known.size(), known.get("2024p1")]).toEqual([7, 1, 5n]);
  expect(known.parts.done).toBe(0);
  expect(openKnownFingerprints(known.pack(7)).get("2024p1")).toBe(5n);
});
