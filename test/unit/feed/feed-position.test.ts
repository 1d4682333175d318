import fc from "fast-check";
import { expect, test } from "vitest";
import {
  ALL_CHANGES,
  jointPositionText,
  parseJointPosition,
  parsePosition,
  positionText,
} from "#services/domain/following.ts";
import { testRows } from "../../support/test-rows.ts";

const position = fc.record({
  version: fc.nat({ max: 999_999_999 }),
  change: fc.oneof(fc.constant(ALL_CHANGES), fc.nat({ max: 2 ** 31 - 1 })),
});

test("a position is read as it was written", () => {
  fc.assert(
    fc.property(position, (given) => {
      expect(parsePosition(positionText(given))).toEqual(given);
    }),
  );
});

test("a version alone is after all of its changes", () => {
  expect(parsePosition("7")).toEqual({ version: 7, change: ALL_CHANGES });
});

testRows(
  "a text is no position",
  ["", "x", "1.", ".1", "-1", "1.-1", "1.2.3", "1e3", " 1", "0x1", "1234567890", "1.9999999999"],
  (text) => {
    expect(parsePosition(text)).toBeNull();
  },
);

test("positions in several catalogues are read as they were written", () => {
  const several = fc.uniqueArray(fc.tuple(fc.uuid(), position), {
    minLength: 1,
    selector: ([id]) => id,
  });
  fc.assert(
    fc.property(several, (entries) => {
      const positions = new Map(entries);
      expect(parseJointPosition(jointPositionText(positions))).toEqual(positions);
    }),
  );
});

testRows(
  "a text is no joint one",
  ["", "0", "3.1", "****", "a".repeat(31), "ä".repeat(32)],
  (text) => {
    expect(parseJointPosition(text)).toBeNull();
  },
);
