import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import { FilteredQuery } from "#contracts/http/events/seismic-events.ts";
import { validate } from "#infra/json/validate.ts";
import { testRows } from "../../support/test-rows.ts";

const NAMES = Object.keys(FilteredQuery.shape);

const sentenceAbout = (query: Readonly<Record<string, string>>) => refusalOf(FilteredQuery, query);

function refusalOf(schema: z.ZodType, value: unknown): string {
  try {
    validate(schema, value);
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
  return "";
}

describe("a parameter that is not known", () => {
  testRows(
    "the error asks whether a name that is like it is meant",
    [
      ["minmag", "minMagnitude"],
      ["minmagnitude", "minMagnitude"],
      ["start", "startTime"],
      ["max_radius", "maxRadiusKm"],
      ["lat", "latitude"],
    ],
    (written, meant) => {
      expect(sentenceAbout({ [written]: "5" })).toContain(
        `${written}: is not known; do you mean ${meant}?`,
      );
    },
  );

  testRows("the error does not guess where nothing is", ["min", "m", "_", "colour"], (written) => {
    expect(sentenceAbout({ [written]: "5" })).toBe(`${written}: is not known`);
  });

  test("a name in another case is always recognised", () => {
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), fc.func(fc.boolean()), (name, isUpper) => {
        const written = [...name]
          .map((letter, at) => (isUpper(at) ? letter.toUpperCase() : letter.toLowerCase()))
          .join("");
        fc.pre(written !== name);
        expect(sentenceAbout({ [written]: "5" })).toContain(
          `${written}: is not known; do you mean ${name}?`,
        );
      }),
    );
  });
});

test("a bound that is not itself allowed is named so", () => {
  const sentence = (schema: z.ZodType, value: unknown) => {
    try {
      return validate(z.object({ n: schema }), { n: value });
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(sentence(z.number().positive(), 0)).toBe("n: must be above 0");
  expect(sentence(z.number().lt(1), 1)).toBe("n: must be below 1");
  expect(sentence(z.number().min(0).max(1), 2)).toBe("n: must be at most 1");
  expect(sentence(z.string().min(1), "")).toBe("n: must be at least 1 character");
  expect(sentence(z.array(z.number()).max(2), [1, 2, 3])).toBe("n: must be at most 2 members");
});

test("what is missing is required, whatever it has to be", () => {
  const schema = z.object({
    email: z.string(),
    role: z.enum(["editor", "admin"]),
    days: z.int(),
    of: z.discriminatedUnion("method", [z.object({ method: z.literal("a") })]),
  });
  expect(refusalOf(schema, { of: {} })).toBe(
    "email: is required; role: is required: one of editor, admin; days: is required; of.method: must be one of a",
  );
  expect(refusalOf(schema, { email: 5, role: "x", days: null, of: { method: "b" } })).toBe(
    "email: must be text; role: must be one of editor, admin; days: must be a number; of.method: must be one of a",
  );
});

test("what fits none of several schemas is answered with what each of them misses", () => {
  const schema = z.object({ of: z.union([z.boolean(), z.object({ id: z.uuid(), n: z.int() })]) });
  expect(refusalOf(schema, { of: { id: "x", n: 1.5 } })).toBe(
    "of: must be true or false, or id must be a UUID and n must be a whole number",
  );
});

test("a time that is none is answered with the forms that are taken", () => {
  expect(refusalOf(FilteredQuery, { startTime: "2024-02" })).toContain(
    "startTime: not an ISO 8601 time: write it as 2024-02-01",
  );
});
