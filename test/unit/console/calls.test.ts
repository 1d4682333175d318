import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CallError } from "#services/console/api/call.ts";
import { followStream, newerState } from "#services/console/api/follow-stream.ts";
import { readSession, signIn, signOut, user } from "#services/console/api/session.ts";
import { createAttempts } from "#services/console/ui/form/attempts.ts";

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

class FakeStream extends EventTarget {
  static readonly CLOSED = 2;
  static readonly opened: FakeStream[] = [];
  readyState = 0;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;

  constructor() {
    super();
    FakeStream.opened.push(this);
  }

  close(): void {
    this.readyState = FakeStream.CLOSED;
  }

  refuse(): void {
    this.readyState = FakeStream.CLOSED;
    this.onerror?.();
  }
}

const { opened } = FakeStream;
const page = Object.assign(new EventTarget(), { hidden: false });

function see(isSeen: boolean): void {
  page.hidden = !isSeen;
  page.dispatchEvent(new Event("visibilitychange"));
}

const openOnes = () => opened.filter(({ readyState }) => readyState !== FakeStream.CLOSED);

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", FakeStream);
  vi.stubGlobal("document", page);
  vi.stubGlobal("navigator", {});
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  page.hidden = false;
  opened.length = 0;
});

describe("a stream that is followed", () => {
  test("is asked for again when it was refused, ever more rarely, and soon again once it stood", () => {
    const stop = followStream("/feed", { onMessage: () => undefined });
    for (const [n, wait] of [3_000, 6_000, 12_000].entries()) {
      opened.at(-1)?.refuse();
      vi.advanceTimersByTime(wait - 1);
      expect(opened).toHaveLength(n + 1);
      vi.advanceTimersByTime(1);
      expect(opened).toHaveLength(n + 2);
    }
    opened.at(-1)?.onopen?.();
    opened.at(-1)?.refuse();
    vi.advanceTimersByTime(3_000);
    expect(opened).toHaveLength(5);
    stop();
  });

  test("is left to the browser while only its connection is lost", () => {
    const stop = followStream("/feed", { onMessage: () => undefined });
    opened[0]?.onerror?.();
    vi.advanceTimersByTime(120_000);
    expect(opened).toHaveLength(1);
    stop();
  });

  test("tells its messages until the following ends, and is not asked for after that", () => {
    const heard: string[] = [];
    const stop = followStream("/feed", { onMessage: ({ data }) => heard.push(data) });
    opened[0]?.dispatchEvent(new MessageEvent("message", { data: "one" }));
    opened[0]?.refuse();
    stop();
    see(true);
    vi.advanceTimersByTime(120_000);
    expect(heard).toEqual(["one"]);
    expect(opened).toHaveLength(1);
  });

  test("is closed while the page is hidden, and there again when it is seen", () => {
    const states: boolean[] = [];
    const onState = (isOpen: boolean) => states.push(isOpen);
    const stop = followStream("/feed", { onMessage: () => undefined, onState });
    opened[0]?.onopen?.();
    see(false);
    expect(openOnes()).toHaveLength(0);
    vi.advanceTimersByTime(120_000);
    expect(opened).toHaveLength(1);
    see(true);
    expect(openOnes()).toHaveLength(1);
    opened[1]?.onopen?.();
    expect(states).toEqual([true, false, true]);
    stop();
    expect(openOnes()).toHaveLength(0);
  });

  test("of a page that was opened hidden waits until it is seen", () => {
    page.hidden = true;
    const stop = followStream("/feed", { onMessage: () => undefined });
    expect(opened).toHaveLength(0);
    see(true);
    expect(opened).toHaveLength(1);
    stop();
  });

  test("refused while the page is hidden is asked for once when it is seen", () => {
    const stop = followStream("/feed", { onMessage: () => undefined });
    opened[0]?.refuse();
    see(false);
    see(true);
    vi.advanceTimersByTime(120_000);
    expect(opened).toHaveLength(2);
    stop();
  });
});

/** Answers of the service that are still to come, in the order of the questions. */
const answers: ((body: unknown) => void)[] = [];

beforeEach(() => {
  vi.stubGlobal("fetch", () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    answers.push((body) => resolve(Response.json(body)));
    return promise;
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  answers.length = 0;
  user.value = undefined;
});

const ANNA = { user: { id: "a", role: "editor" } };

test("an answer from before the sign-out does not sign in again", async () => {
  const read = readSession();
  const out = signOut();
  answers[1]?.({});
  await out;
  answers[0]?.(ANNA);
  await read;
  expect(user.value).toBeNull();
});

test("an answer from before the sign-in does not sign out, whenever it comes", async () => {
  const first = readSession();
  const signedIn = signIn("anna@example.org", "secret");
  const second = readSession();
  answers[2]?.({ user: null });
  await second;
  answers[1]?.(ANNA);
  await signedIn;
  answers[0]?.({ user: null });
  await first;
  expect(user.value).toMatchObject(ANNA.user);
});

test("of two questions the later one's answer stays", async () => {
  const first = readSession();
  const second = readSession();
  answers[1]?.(ANNA);
  await second;
  answers[0]?.({ user: null });
  await first;
  expect(user.value).toMatchObject(ANNA.user);
});

const state = (status: string, second: number) => ({
  status,
  updated_at: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
});

test("the later of two states of an operation is told, whichever way it came", () => {
  const [early, late] = [state("running", 1), state("running", 2)];
  expect(newerState(early, late)).toBe(late);
  expect(newerState(late, early)).toBe(late);
  expect(newerState(null, early)).toBe(early);
  expect(newerState(early, null)).toBe(early);
  expect(newerState(null, null)).toBeNull();
});

test("what has ended stays so, also against a state that seems later", () => {
  const ended = state("cancelled", 1);
  expect(newerState(ended, state("running", 9))).toBe(ended);
  expect(newerState(state("running", 9), ended)).toBe(ended);
});

test("of any states in any order the same is told", () => {
  const any = fc.tuple(fc.constantFrom("running", "failed"), fc.nat(5)).map((of) => state(...of));
  fc.assert(
    fc.property(fc.array(any, { minLength: 1 }), (states) => {
      const told = states.reduce<(typeof states)[number] | null>(newerState, null);
      const back = states.toReversed().reduce<(typeof states)[number] | null>(newerState, null);
      expect(back).toEqual(told);
    }),
  );
});
