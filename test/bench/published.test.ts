import { expect, test } from "vitest";
import { changesAgainst, readPublished } from "./measure.ts";

const TABLE = `
| Case | Size | Service | Yardstick | Ratio, both runs | Target |
|---|---|---|---|---|---|
| create by POST until visible | 100,000 events | 2.40 s | COPY: 1.48 s | 1.73, 1.50 | ≤ 2 |
| memory after start | all roles | 146 MiB | what it may take: 150 MiB | 0.97 | ≤ 1 |

| Tried | What it brought | Kept |
|---|---|---|
| two threads | none seen | no |
`;

test("lines with a ratio are read from the table, with the last of several runs", () => {
  expect(readPublished(TABLE)).toEqual([
    { case: "create by POST until visible", size: "100000 events", ratio: 1.5 },
    { case: "memory after start", size: "all roles", ratio: 0.97 },
  ]);
});

test("a result of the table is told that differs by more than noise", () => {
  const results = [
    { case: "create by POST until visible", size: "100000 events", ratio: 1.9 },
    { case: "memory after start", size: "all roles", ratio: 1.0 },
    { case: "backup", size: "1000000 events", ratio: 0.7 },
  ];
  expect(changesAgainst(readPublished(TABLE), results)).toEqual([
    "create by POST until visible, 100000 events: 1.50 → 1.90",
  ]);
});
