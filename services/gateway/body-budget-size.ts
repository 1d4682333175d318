import { memoryLimit } from "#infra/lifecycle/memory.ts";

const MIB = 1024 * 1024;
const MOST_BYTES = 512 * MIB;

/** What bodies may hold in memory at once: a quarter of it at most, and always one of the largest. */
export function bodyBudget(maxBodyBytes: number): number {
  return Math.max(maxBodyBytes, Math.min(MOST_BYTES, memoryLimit() / 4));
}
