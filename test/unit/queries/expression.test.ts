import fc from "fast-check";
import { expect, test } from "vitest";
import { type Expression, negated } from "#contracts/query/expression.ts";

const condition = fc.oneof(
  fc.record({
    kind: fc.constant("compare" as const),
    property: fc.constantFrom("depth" as const, "magnitude" as const),
    operator: fc.constantFrom("=", "<>", "<", "<=", ">", ">="),
    value: fc.integer(),
  }),
  fc.constantFrom<Expression>(
    { kind: "isNull", property: "depth" },
    { kind: "isNull", property: "depth", isNot: true },
    { kind: "like", property: "region", pattern: "K%" },
  ),
);

const { tree } = fc.letrec<{ tree: Expression }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    condition,
    fc.record({ all: fc.array(tie("tree"), { maxLength: 3 }) }),
    fc.record({ any: fc.array(tie("tree"), { maxLength: 3 }) }),
  ),
}));

test("a negation of a negation is what it was", () => {
  fc.assert(
    fc.property(tree, (expression) => {
      expect(negated(negated(expression))).toEqual(expression);
    }),
  );
});

test.each<[Expression, Expression]>([
  [{ all: [] }, { any: [] }],
  [
    { kind: "compare", property: "magnitude", operator: "<", value: 3 },
    { kind: "compare", property: "magnitude", operator: ">=", value: 3 },
  ],
  [
    {
      any: [
        { kind: "isNull", property: "depth" },
        { kind: "has", held: ["picks"], isNot: true },
      ],
    },
    {
      all: [
        { kind: "isNull", property: "depth", isNot: true },
        { kind: "has", held: ["picks"] },
      ],
    },
  ],
])("a negation reaches the conditions: %j", (expression, opposite) => {
  expect(negated(expression)).toEqual(opposite);
});
