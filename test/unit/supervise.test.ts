import { describe, expect, test } from "vitest";
import { supervise } from "#infra/lifecycle/supervise.ts";
import { collectingLogger } from "../support/logger.ts";

const BACKOFF = { baseMs: 1, capMs: 2 };

describe("supervised work", () => {
  test("supervised work is begun again whenever it throws or ends, until its signal aborts", async () => {
    const { log: logger, lines } = collectingLogger();
    const stopping = new AbortController();
    let runs = 0;
    const work = async (): Promise<void> => {
      runs += 1;
      if (runs === 5) stopping.abort();
      if (runs % 2 === 0) throw new Error("a fault");
    };
    await supervise(work, { signal: stopping.signal, logger, name: "w", backoff: BACKOFF });
    expect(runs).toBe(5);
    expect(lines.map(({ work: name, msg }) => [name, msg])).toEqual([
      ["w", "interrupted, tried again"],
      ["w", "interrupted, tried again"],
    ]);
  });

  test("supervised work is given up at a fault that no repetition heals", async () => {
    const { log: logger } = collectingLogger();
    const { signal } = new AbortController();
    const options = { signal, logger, name: "w", backoff: BACKOFF };
    const isFatal = (error: unknown) => error instanceof RangeError;
    let runs = 0;
    const work = async (): Promise<void> => {
      runs += 1;
      throw runs < 3 ? new Error("passing") : new RangeError("for good");
    };
    await expect(supervise(work, { ...options, isFatal })).rejects.toThrow("for good");
    expect(runs).toBe(3);
  });

  test("supervised work does not begin when its signal has aborted before", async () => {
    const { log: logger } = collectingLogger();
    let runs = 0;
    const work = async (): Promise<void> => {
      runs += 1;
    };
    await supervise(work, { signal: AbortSignal.abort(), logger, name: "w", backoff: BACKOFF });
    expect(runs).toBe(0);
  });
});
