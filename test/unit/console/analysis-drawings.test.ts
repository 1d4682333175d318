import { describe, expect, test } from "vitest";
import { drawInterEvent } from "#services/console/features/analytics/drawings/inter-event.ts";
import { drawOverTime } from "#services/console/features/analytics/drawings/over-time.ts";
import {
  cumulativeChart,
  labelsInOrder,
  roleClasses,
} from "#services/console/features/analytics/roles.ts";
import { columnsOf } from "./support/columns.ts";

describe("what is drawn of an analysis", () => {
  test("over time leaves unknown Mc and b open", () => {
    const period = { start: "2020-01-01T00:00:00Z", end: "2020-01-03T00:00:00Z", n: 500 };
    const series = [
      { ...period, mc: 1.6, b: 0.9236, sigma: 0.0429 },
      { ...period, mc: null, b: null, sigma: null },
    ];
    const drawing = drawOverTime({ series }, []);
    const [mc, b] = drawing?.chart.panels ?? [];
    const middle = Date.UTC(2020, 0, 2);
    expect(mc?.marks).toMatchObject([
      {
        kind: "line",
        points: [
          [middle, 1.6],
          [middle, null],
        ],
      },
    ]);
    expect(b?.marks[0]).toMatchObject({
      kind: "band",
      points: [
        [middle, 0.9236 - 0.0429, 0.9236 + 0.0429],
        [middle, null, null],
      ],
    });
    expect(drawing?.table?.rows.map((row) => row.slice(-2))).toEqual([
      ["1.6", "0.92 ± 0.04"],
      ["–", "–"],
    ]);
    expect(drawOverTime({ series: [] }, [])).toBeNull();
  });

  test("of times between events has a Poisson process' as many beside them", () => {
    const bins = [
      { from: 1, to: 10, count: 3 },
      { from: 10, to: 1e9, count: 4 },
    ];
    const estimate = { n: 7, mean: 5, median: 3, min: 1, max: 20, cv: 1, zeros: 0 };
    const [panel] = drawInterEvent({ bins, estimate }, [])?.chart.panels ?? [];
    const expected = panel?.marks.find(({ kind }) => kind === "line");
    const sum =
      expected?.kind === "line"
        ? expected.points.reduce((all, [, value]) => all + (value ?? 0), 0)
        : 0;
    expect(sum).toBeCloseTo(7 * Math.exp(-1 / 5), 9);
  });
});

describe("the roles of declustered events", () => {
  const columns = columnsOf({ time: [3_000, 2_000, 1_000, 0].map((day) => day * 86_400_000) });
  const labels = labelsInOrder(columns, [
    { id: "0", cluster: 1, role: "after" },
    { id: "1", cluster: 1, role: "main" },
    { id: "3", cluster: null, role: "main" },
  ]);

  test("are found by the events' ids, and are classes of a map", () => {
    expect(labels.map((label) => label?.role)).toEqual(["after", "main", undefined, "main"]);
    expect([...roleClasses(labels).classOf]).toEqual([2, 0, 3, 0]);
  });

  test("add up over time, all of them and the main events", () => {
    const [panel] = cumulativeChart(columns, labels, []).panels;
    const last = panel?.marks.map((mark) =>
      mark.kind === "line" ? mark.points.at(-1)?.[1] : null,
    );
    expect(last).toEqual([3, 2]);
  });
});
