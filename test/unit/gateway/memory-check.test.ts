import { totalmem } from "node:os";
import { expect, test } from "vitest";
import { memoryLimit, readMemory } from "#infra/lifecycle/memory.ts";
import { memoryCheck } from "#services/gateway/health/readiness-checks.ts";
import { testRows } from "../../support/test-rows.ts";

const MIB = 1024 * 1024;
const check = (heapMib: number, residentMib: number) =>
  memoryCheck(() => ({
    heap: heapMib * MIB,
    heapLimit: 100 * MIB,
    resident: residentMib * MIB,
    residentLimit: 1_000 * MIB,
  }))();

testRows(
  "the memory check is unhealthy above 90 % of the heap or of the resident memory",
  [
    [90, 900, "healthy"],
    [91, 100, "unhealthy"],
    [10, 901, "unhealthy"],
  ] as const,
  async (heap, resident, status) => {
    expect((await check(heap, resident)).status).toBe(status);
  },
);

test("the memory check tells both, each against its limit", async () => {
  expect((await check(50, 250)).message).toBe(
    "Heap 50 MB of 100 MB (50%), resident 250 MB of 1000 MB (25%)",
  );
});

test("buffers count before they are touched, and the limit is never more than the machine has", () => {
  const before = readMemory().resident;
  const buffer = Buffer.allocUnsafeSlow(2 * before);
  expect(readMemory().resident).toBeGreaterThan(buffer.length);
  expect(memoryLimit()).toBeGreaterThan(0);
  expect(memoryLimit()).toBeLessThanOrEqual(totalmem());
});
