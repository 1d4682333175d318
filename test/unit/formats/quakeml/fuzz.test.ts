import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ALL_MEMBERS,
  documentOf,
  eventOf,
  magnitudeOf,
  originOf,
} from "../../../support/formats/quakeml-documents.ts";
import { runs } from "../../../support/runs.ts";
import { readPieces } from "./read-pieces.ts";

const OWN =
  '<ec:attributes xmlns:ec="urn:earthquake-catalogue:1.0">{"extra":{"a":[1]}}</ec:attributes>';
const SEEDS = [
  ALL_MEMBERS,
  documentOf(eventOf(originOf() + magnitudeOf("5", "Mw") + OWN)),
  documentOf(eventOf("<preferredOriginID>smi:x.y/or1</preferredOriginID>"), originOf()),
];
const TOKENS = [
  "<",
  ">",
  "&",
  "]]>",
  "<!--",
  "<![CDATA[",
  "<!DOCTYPE q [",
  "<?xml ",
  "\0",
  "\ud800",
  "'",
  '"',
  "</event>",
  "<event>",
  "&#x41;",
  "xmlns:ec=''",
  "1e999",
  "{",
];

const place = fc.double({ min: 0, max: 1, noNaN: true });
const mutation = fc.oneof(
  fc.record({ kind: fc.constant("flip" as const), at: place, code: fc.nat(0xffff) }),
  fc.record({ kind: fc.constant("cut" as const), at: place, to: place }),
  fc.record({ kind: fc.constant("double" as const), at: place, to: place }),
  fc.record({ kind: fc.constant("splice" as const), at: place, token: fc.constantFrom(...TOKENS) }),
  fc.record({
    kind: fc.constant("graft" as const),
    at: place,
    from: place,
    seed: fc.nat(SEEDS.length - 1),
  }),
);

function mutate(
  text: string,
  change: typeof mutation extends fc.Arbitrary<infer M> ? M : never,
): string {
  const at = Math.floor(change.at * text.length);
  switch (change.kind) {
    case "flip":
      return text.slice(0, at) + String.fromCharCode(change.code) + text.slice(at + 1);
    case "cut":
      return text.slice(0, at) + text.slice(Math.floor(change.to * text.length));
    case "double":
      return text.slice(0, at) + text.slice(Math.floor(change.to * at));
    case "splice":
      return text.slice(0, at) + change.token + text.slice(at);
    case "graft": {
      const other = SEEDS[change.seed] ?? "";
      return text.slice(0, at) + other.slice(Math.floor(change.from * other.length));
    }
    default: {
      const unknown: never = change;
      throw new Error(`unknown mutation: ${unknown}`);
    }
  }
}

describe("mutated QuakeML", () => {
  it("is answered with rows, errors and warnings, whatever is done to it", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SEEDS),
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(4000), { maxLength: 3 }),
        (seed, mutations, cuts) => {
          const text = mutations.reduce(mutate, seed);
          const told = readPieces(text, cuts);
          expect(told.rows.length + told.errors.length).toBeGreaterThan(0);
          const lines = text.split(/\r\n|\r|\n/).length + 1;
          for (const { line, message } of [...told.errors, ...told.warnings]) {
            expect(line).toBeGreaterThan(0);
            expect(line).toBeLessThanOrEqual(lines);
            expect(message).not.toBe("");
          }
          for (const row of told.rows) {
            expect(typeof row["time"]).toBe("string");
            expect(Number.isFinite(row["latitude"])).toBe(true);
            expect(Number.isFinite(row["longitude"])).toBe(true);
            expect(JSON.parse(JSON.stringify(row))).toBeTypeOf("object");
          }
        },
      ),
      { numRuns: runs(2_000), seed: 20_241 },
    );
  });
});
