import { expect, test } from "vitest";
import { createAttempts } from "#services/console/api/attempts.ts";
import { CallError } from "#services/console/api/call-error.ts";

const failure = (status: number) =>
  new CallError("no", {
    status,
    code: "UNREACHABLE",
    fields: [],
    requestId: null,
    retryAfter: null,
    body: null,
  });

/** The keys that attempts at these things have, each answered or failed by its status. */
async function keysOf(...attempts: readonly (readonly [what: unknown, status: number])[]) {
  const run = createAttempts();
  const keys: string[] = [];
  for (const [what, status] of attempts) {
    const send = async (key: string) => {
      keys.push(key);
      if (status !== 200) throw failure(status);
    };
    await run(what, send).catch(() => undefined);
  }
  return keys;
}

const differ = (keys: readonly string[]) => new Set(keys).size;

test("an attempt whose answer was lost is repeated under its key", async () => {
  expect(differ(await keysOf([{ a: 1 }, 0], [{ a: 1 }, 500], [{ a: 1 }, 200]))).toBe(1);
});

test("what was answered or refused, or something else, has a key of its own", async () => {
  expect(differ(await keysOf([{ a: 1 }, 200], [{ a: 1 }, 400], [{ a: 1 }, 0], [{ a: 2 }, 0]))).toBe(
    4,
  );
});

test("keys are such as the service takes", async () => {
  expect(await keysOf([null, 200])).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
});
