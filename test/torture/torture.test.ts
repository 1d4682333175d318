import { expect, test } from "vitest";
import { runTorture } from "./run-torture.ts";

const SECONDS = 20;
const SEED = 1911;

test("nothing acknowledged is lost while every part is killed and cut at random", async () => {
  const { writes, faults, feedKills, losses } = await runTorture(SECONDS, SEED);
  expect(losses).toEqual([]);
  expect(writes).toBeGreaterThan(0);
  expect(feedKills).toBeGreaterThan(0);
  expect([...faults.keys()].some((name) => name.startsWith("kill -9"))).toBe(true);
}, 900_000);
