import { expect, test } from "vitest";
import { isPassed } from "./fuzz-report.ts";
import { runFuzz } from "./run-fuzz.ts";

const SECONDS = 15;
const SEED = 1906;

test("hostile requests and files are answered as the service says of itself, in time", async () => {
  const report = await runFuzz(SECONDS, SEED);
  expect([...report.examples, ...report.ends]).toEqual([]);
  expect(isPassed(report)).toBe(true);
  expect([...report.statuses.keys()].toSorted()).toEqual([
    "bytes over a socket",
    "files",
    "imports",
    "requests",
    "sessions looked at",
  ]);
}, 300_000);
