import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { operations } from "#contracts/http/table/operations.ts";
import { unknownMembers } from "#infra/json/unknown-members.ts";

const Body = z.object({
  depth: z.number().optional(),
  timeThreshold: z.number().default(1),
  nested: z
    .array(z.object({ name: z.string().nullable() }))
    .nullable()
    .optional(),
  either: z
    .union([z.string(), z.object({ from: z.number() }), z.object({ to: z.number() })])
    .optional(),
  any: z.record(z.string(), z.object({ x: z.number() })).optional(),
  loose: z.looseObject({}).optional(),
});

test("members that a schema does not know are named by their paths, with the known one that is meant", () => {
  expect(
    unknownMembers(Body, {
      dept: 7.3,
      timeTreshold: 2,
      nested: [{ name: "a" }, { name: null, nmae: 1 }],
      either: { to: 1, form: 2 },
      any: { a: { x: 1, y: 2 } },
      loose: { whatever: 1 },
      wholly_else: null,
    }),
  ).toEqual([
    { path: "dept", message: "is not known and has no effect; do you mean depth?" },
    { path: "timeTreshold", message: "is not known and has no effect; do you mean timeThreshold?" },
    { path: "nested.1.nmae", message: "is not known and has no effect; do you mean name?" },
    { path: "either.form", message: "is not known and has no effect" },
    { path: "any.a.y", message: "is not known and has no effect; do you mean x?" },
    { path: "wholly_else", message: "is not known and has no effect" },
  ]);
});

test("of many unknown members the first 100 are named", () => {
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`member ${i}`, i]));
  const named = unknownMembers(Body, { nested: [many], ...many });
  expect(named).toHaveLength(100);
  expect(named[0]?.path).toBe("nested.0.member 0");
});

test("a member that was added at random is found, and nothing else is", () => {
  const known = Object.keys(Body.shape);
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (name) => {
      fc.pre(!known.includes(name) && name !== "__proto__");
      const paths = unknownMembers(Body, { depth: 1, [name]: 1 }).map(({ path }) => path);
      expect(paths).toEqual([name]);
    }),
  );
});

test("every operation with a body of JSON has warnings in its answers, but for analyses, which have their own", () => {
  const without = Object.values(operations).filter((operation) => {
    const { schema } = operation.success;
    const hasBody =
      "body" in operation && operation.body !== undefined && operation.body !== "file";
    return hasBody && !(schema instanceof z.ZodObject && "warnings" in schema.shape);
  });
  expect(without.map(({ id }) => id)).toEqual([]);
});
