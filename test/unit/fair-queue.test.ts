import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFairQueue, type FairQueue, type Turn } from "#infra/kernel/fair-queue.ts";
import { QueueFull, type QueueLimits } from "#infra/kernel/queue-counts.ts";
import { runs } from "../support/runs.ts";

const WIDE: QueueLimits = { running: 1, waiting: 100, runningOfOne: 100, waitingOfOne: 100 };

type Who = Parameters<FairQueue["enter"]>[0];

const whoIs = (caller: string): Who => ({ caller, network: caller, isGuest: false });

/** A queue whose items are names, with the names whose turn it has been, in order. */
function scene(limits: Partial<QueueLimits> = {}, admit: (name: string) => boolean = () => true) {
  const came: string[] = [];
  const queue = createFairQueue({ ...WIDE, ...limits });
  const enter = (name: string, who: Partial<Who> = {}): Turn => {
    const turn = queue.enter({ ...whoIs(name[0] ?? ""), ...who }, () => admit(name));
    turn.ready.then(
      () => came.push(name),
      () => undefined,
    );
    return turn;
  };
  return { queue, came, enter };
}

const settled = () => new Promise(setImmediate);

test("callers who wait have one turn each in rounds, whoever came with more", async () => {
  const { came, enter } = scene();
  const turns = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"].map((name) => enter(name));
  const names = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"];
  for (let i = 0; i < names.length; i += 1) {
    await settled();
    turns[names.indexOf(came[i] ?? "")]?.leave(() => null);
  }
  expect(came).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
});

test("one caller has so many turns at once and no more, while others go on", async () => {
  const { came, enter, queue } = scene({ running: 5, runningOfOne: 2 });
  for (const name of ["a1", "a2", "a3", "b1"]) enter(name);
  await settled();
  expect(came).toEqual(["a1", "a2", "b1"]);
  expect([queue.running(), queue.waiting()]).toEqual([3, 1]);
});

test("networks have one turn each in rounds, and their accounts within them", async () => {
  const { came, enter } = scene();
  const turns = new Map<string, Turn>();
  for (const name of ["a1", "a2", "b1", "c1", "c2", "d1"]) {
    const network = ["a", "b", "c"].includes(name[0] ?? "") ? "first" : "second";
    turns.set(name, enter(name, { network }));
  }
  for (let i = 0; i < turns.size; i += 1) {
    await settled();
    turns.get(came[i] ?? "")?.leave();
  }
  expect(came).toEqual(["a1", "a2", "d1", "b1", "c1", "c2"]);
});

test("accounts of one network have as many turns at once together as one has", async () => {
  const { came, enter } = scene({ running: 5, runningOfOne: 2, waitingOfOne: 1 });
  const network = "one";
  for (const name of ["a1", "b1", "c1", "d1", "e1", "f1"]) enter(name, { network });
  expect(() => enter("g1", { network })).toThrow(expect.objectContaining({ isOfOne: true }));
  enter("h1");
  await settled();
  expect(came).toEqual(["a1", "b1", "h1"]);
});

test("guests have their share together, and leave the rest to those who have signed in", async () => {
  const { came, enter } = scene({ running: 3, runningOfGuests: 1 });
  const first = enter("a1", { isGuest: true });
  enter("b1", { isGuest: true });
  for (const name of ["c1", "d1"]) enter(name);
  await settled();
  expect(came).toEqual(["a1", "c1", "d1"]);
  first.leave();
  await settled();
  expect(came).toEqual(["a1", "c1", "d1", "b1"]);
});

test("two networks that take all they may leave places free to a third where they share those", async () => {
  const { came, enter } = scene({ running: 12, runningOfOne: 4, sharesFree: true });
  for (const name of ["a1", "a2", "a3", "a4", "a5", "b1", "b2", "b3", "b4", "c1", "c2"])
    enter(name);
  await settled();
  expect(came).toEqual(["a1", "a2", "a3", "a4", "b1", "b2", "b3", "c1", "c2"]);
});

test("a work has its turn unless its asker leaves before, who then takes nobody's", async () => {
  const { queue } = scene();
  const first = Promise.withResolvers<string>();
  const running = queue.run(
    { ...whoIs("a"), signal: new AbortController().signal },
    () => first.promise,
  );
  const leaving = new AbortController();
  const left = queue.run({ ...whoIs("b"), signal: leaving.signal }, async () => "never");
  leaving.abort(new Error("gone"));
  await expect(left).rejects.toThrow("gone");
  first.resolve("done");
  expect(await running).toBe("done");
  expect([queue.running(), queue.waiting()]).toEqual([0, 0]);
});

describe("a queue that is full", () => {
  test("a queue that is full for one caller takes others", () => {
    const { enter } = scene({ waitingOfOne: 2 });
    for (const name of ["a1", "a2", "a3"]) enter(name);
    expect(() => enter("a4")).toThrow(expect.objectContaining({ isOfOne: true }));
    enter("b1");
  });

  test("a queue that is full for all takes nobody, until one leaves", () => {
    const { enter } = scene({ waiting: 2 });
    const turns = ["a1", "a2", "b1"].map((name) => enter(name));
    expect(() => enter("c1")).toThrow(expect.objectContaining({ isOfOne: false }));
    turns[1]?.leave(() => null);
    enter("c1");
    expect(() => enter("d1")).toThrow(QueueFull);
  });
});

test("who leaves before the turn has come is told why, and the next has it", async () => {
  const { came, enter } = scene();
  const [first, second] = ["a1", "b1", "c1"].map((name) => enter(name));
  const left = expect(second?.ready).rejects.toThrow("gone");
  second?.leave(() => new Error("gone"));
  await left;
  first?.leave(() => null);
  await settled();
  expect(came).toEqual(["a1", "c1"]);
});

test("who is not admitted waits, and others pass", async () => {
  let hasRoom = false;
  const { came, enter, queue } = scene({ running: 3 }, (name) => hasRoom || name !== "a1");
  for (const name of ["a1", "a2", "b1"]) enter(name);
  await settled();
  expect(came).toEqual(["b1"]);
  hasRoom = true;
  queue.admitWaiting();
  await settled();
  expect(came).toEqual(["b1", "a1", "a2"]);
});

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("enter" as const), caller: fc.constantFrom("a", "b", "c", "d") }),
    fc.record({ kind: fc.constant("leave" as const), which: fc.nat(30) }),
  ),
  { maxLength: 80 },
);
const limits = fc.record({
  running: fc.integer({ min: 1, max: 4 }),
  waiting: fc.nat(8),
  runningOfOne: fc.integer({ min: 1, max: 3 }),
  waitingOfOne: fc.nat(4),
});

type Entry = { readonly caller: string; readonly turn: Turn; state: "waiting" | "running" };

test("the queue keeps to its limits, lets run whoever can, and forgets whoever has left", async () => {
  await fc.assert(
    fc.asyncProperty(limits, steps, async (given, all) => {
      const queue = createFairQueue(given);
      const entries = new Set<Entry>();
      for (const step of all) {
        if (step.kind === "leave") leaveOne(entries, step.which);
        else enterOne(queue, entries, step.caller);
        await settled();
        check(queue, entries, given);
      }
      for (const { turn } of entries) turn.leave(() => null);
      expect([queue.running(), queue.waiting()]).toEqual([0, 0]);
    }),
    { numRuns: runs(200) },
  );
});

function leaveOne(entries: Set<Entry>, which: number): void {
  const entry = [...entries][which % Math.max(1, entries.size)];
  if (entry === undefined) return;
  entries.delete(entry);
  entry.turn.leave(() => null);
  entry.turn.leave(() => null);
}

function enterOne(queue: FairQueue, entries: Set<Entry>, caller: string): void {
  let turn: Turn;
  try {
    turn = queue.enter(whoIs(caller));
  } catch (error) {
    expect(error).toBeInstanceOf(QueueFull);
    return;
  }
  const entry: Entry = { caller, turn, state: "waiting" };
  entries.add(entry);
  turn.ready.then(
    () => {
      entry.state = "running";
    },
    () => undefined,
  );
}

function check(queue: FairQueue, entries: Set<Entry>, given: QueueLimits): void {
  const of = (state: Entry["state"], caller?: string) =>
    [...entries].filter((e) => e.state === state && (caller === undefined || e.caller === caller))
      .length;
  expect([queue.running(), queue.waiting()]).toEqual([of("running"), of("waiting")]);
  expect(of("running")).toBeLessThanOrEqual(given.running);
  expect(of("waiting")).toBeLessThanOrEqual(given.waiting);
  for (const { caller, state } of entries) {
    expect(of("running", caller)).toBeLessThanOrEqual(given.runningOfOne);
    expect(of("waiting", caller)).toBeLessThanOrEqual(given.waitingOfOne);
    // Nobody waits who could run.
    if (state === "waiting" && of("running") < given.running) {
      expect(of("running", caller)).toBe(given.runningOfOne);
    }
  }
}
