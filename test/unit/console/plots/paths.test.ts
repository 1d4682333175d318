import { describe, expect, test } from "vitest";
import { legendOf } from "#services/console/plots/chart/chart-legend.ts";
import { bandPath, barsPath, linePath } from "#services/console/plots/chart/paths.ts";

describe("the path of a plot", () => {
  test("leaves a gap where nothing is known", () => {
    expect(linePath([[0, 1], [10, 2.04], null, [20, 3], [30, 4]])).toBe("M0 1L10 2M20 3L30 4");
    expect(linePath([null])).toBe("");
  });

  test("of a band goes forth above and back below, apart on both sides of a gap", () => {
    const upper = [[0, 0], [10, 0], null, [20, 1], [30, 1]] as const;
    const lower = [
      [0, 5],
      [10, 6],
      [15, 6],
      [20, 7],
      [30, 8],
    ] as const;
    expect(bandPath(upper, lower)).toBe("M0 0L10 0L10 6L0 5ZM20 1L30 1L30 8L20 7Z");
  });

  test("of bars stands on the ground, and has none for nothing", () => {
    expect(
      barsPath(
        [
          [0, 10, 40],
          [10, 20, 100],
        ],
        100,
      ),
    ).toBe("M0 100V40H9V100Z");
  });
});

test("a legend has each named mark, in rows that fit", () => {
  const line = (name: string) => ({ kind: "line", name, colour: 0, points: [] }) as const;
  const panel = {
    height: 1,
    y: { kind: "linear", from: 0, to: 1, label: "" },
    marks: [line("first"), { kind: "bars", colour: 1, bars: [] }, line("a longer second")],
  } as const;
  const rows = legendOf([panel], 120).map(({ name, row }) => [name, row]);
  expect(rows).toEqual([
    ["first", 0],
    ["a longer second", 1],
  ]);
});
