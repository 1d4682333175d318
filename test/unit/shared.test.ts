import { expect, test } from "vitest";
import { QueueFull } from "#infra/kernel/queue-counts.ts";
import { createShared } from "#infra/kernel/shared.ts";

test("a value is made once for all who ask, again after a failure, and when it was dropped", async () => {
  const made: string[] = [];
  const shared = createShared<string>(10, (value) => value.length);
  const make = (value: string) => async () => {
    made.push(value);
    if (value === "") throw new Error("nothing");
    return value;
  };
  await Promise.all([shared("a", make("aaaaaa")), shared("a", make("aaaaaa"))]);
  expect(made).toEqual(["aaaaaa"]);
  await expect(shared("b", make(""))).rejects.toThrow("nothing");
  await shared("b", make("bbbbbb"));
  await shared("a", make("aaaaaa"));
  expect(made).toEqual(["aaaaaa", "", "bbbbbb", "aaaaaa"]);
  expect(["a", "b"].map(shared.has)).toEqual([true, false]);
});

/** A work that ends when it is told to, or with its signal. */
function heldWork() {
  const held = Promise.withResolvers<string>();
  const works: AbortSignal[] = [];
  const work = (signal: AbortSignal): Promise<string> => {
    works.push(signal);
    signal.addEventListener("abort", () => held.reject(signal.reason));
    return held.promise;
  };
  return { work, works, resolve: held.resolve };
}

test("whoever asks first and leaves takes nothing from the others", async () => {
  const shared = createShared<string>(10);
  const { work, works, resolve } = heldWork();
  const leaving = new AbortController();
  const first = shared("a", work, leaving.signal);
  const second = shared("a", work, new AbortController().signal);
  leaving.abort(new Error("gone"));
  await expect(first).rejects.toThrow("gone");
  resolve("made");
  expect(await second).toBe("made");
  expect(works.map(({ aborted }) => aborted)).toEqual([false]);
});

test("a work ends when the last who asks for it leaves, and begins anew for the next", async () => {
  const shared = createShared<string>(10);
  const { work, works } = heldWork();
  const leaving = [new AbortController(), new AbortController()];
  const asked = leaving.map(({ signal }) => shared("a", work, signal));
  const left = Promise.allSettled(asked);
  for (const controller of leaving) controller.abort(new Error("gone"));
  expect((await left).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(works.map(({ aborted }) => aborted)).toEqual([true]);
  expect(await shared("a", async () => "anew")).toBe("anew");
  expect(await shared("a", work)).toBe("anew");
});

test("whoever asked first and has too many waiting refuses nobody else", async () => {
  const shared = createShared<string>(10);
  const full = Promise.withResolvers<string>();
  const first = shared("a", () => full.promise);
  const second = shared("a", async () => "made");
  full.reject(new QueueFull(true));
  await expect(first).rejects.toThrow(QueueFull);
  expect(await second).toBe("made");
});
