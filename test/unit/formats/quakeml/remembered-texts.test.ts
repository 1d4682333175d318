import fc from "fast-check";
import { expect, it } from "vitest";
import { createRememberedTexts } from "#infra/formats/quakeml/remembered-texts.ts";

it("tells of each text whether it was there before", () => {
  const text = fc.oneof(fc.string(), fc.integer({ max: 40, min: 0 }).map(String));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 3000, size: "max" }), (texts) => {
      const remembered = createRememberedTexts();
      const seen = new Set<string>();
      for (const text of texts) {
        expect(remembered.wasThere(text)).toBe(seen.has(text));
        seen.add(text);
      }
    }),
    { numRuns: 20 },
  );
});

it("remembers no more than half a million", () => {
  const remembered = createRememberedTexts();
  for (let i = 0; i < 500_000; i++) remembered.wasThere(`id ${i}`);
  expect(remembered.wasThere("one more")).toBe(false);
  expect(remembered.wasThere("one more")).toBe(false);
  expect(remembered.wasThere("id 499999")).toBe(true);
});
