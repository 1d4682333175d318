import fc from "fast-check";
import { expect, test } from "vitest";
import {
  createFairQueue,
  type FairQueue,
  QueueFull,
  type QueueLimits,
  type Turn,
} from "#infra/kernel/fair-queue.ts";
import { runs } from "../support/runs.ts";
import { testRows } from "../support/test-rows.ts";

const WIDE: QueueLimits = { running: 1, waiting: 200, waitingOfOne: 100 };

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

/** Enters "a1@x": a caller a of the network x, or of their own. */
const enterAll = (enter: (name: string, who?: Partial<Who>) => Turn, names: string) =>
  new Map(
    names.split(" ").map((one) => {
      const [name = "", network] = one.split("@");
      return [name, enter(name, network === undefined ? {} : { network })];
    }),
  );

testRows(
  "callers who wait have one turn each in rounds, and so have networks, their accounts within them",
  [
    ["a1 a2 a3 a4 b1 b2 c1", "a1 a2 b1 c1 a3 b2 a4"],
    ["a1@x a2@x b1@x c1@x c2@x d1@y", "a1 a2 d1 b1 c1 c2"],
  ],
  async (names, expected) => {
    const { came, enter } = scene();
    const turns = enterAll(enter, names);
    for (let i = 0; i < turns.size; i += 1) {
      await settled();
      turns.get(came[i] ?? "")?.leave(() => null);
    }
    expect(came.join(" ")).toBe(expected);
  },
);

testRows(
  "one caller and one network have turns at once, and leave some to the next caller and the next network",
  [
    [
      "three at one address leave half to others",
      { running: 12 },
      "a1@x a2@x a3@x a4@x a5@x a6@x a7@x a8@x b1@x b2@x b3@x c1@x d1@x",
      "e1@y e2@y e3@y f1@y f2@y g1 h1",
      "a1 a2 a3 b1 b2 c1 e1 e2 f1 g1 h1",
    ],
    ["one of three for each", { running: 3 }, "a1@x a2@x a3@x b1@x c1@x", "d1", "a1 b1 d1"],
    ["the process's own work", { running: 2, isOfOneCaller: true }, "a1 a2", "a3", "a1 a2"],
  ],
  async (_, limits, first, then, expected) => {
    const { came, enter, queue } = scene(limits);
    for (const names of [first, then]) {
      enterAll(enter, names);
      await settled();
    }
    expect(came.join(" ")).toBe(expected);
    expect(queue.running()).toBe(came.length);
  },
);

test("accounts of one network wait in number as four do", async () => {
  const { came, enter } = scene({ running: 5, runningOfNetwork: 2, waitingOfOne: 1 });
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

test("guests of many networks wait until half is full, and leave room to each next of them, and to others", async () => {
  const { enter, queue } = scene({ runningOfGuests: 1, waiting: 256, waitingOfOne: 8 });
  for (let network = 0; network < 14; network += 1) {
    for (let i = 0; i < 8; i += 1) enter(`${network}`, { ...whoIs(`${network}`), isGuest: true });
  }
  expect(queue.waiting()).toBe(14 * 8 - 1);
  const late = Array.from({ length: 5 }, (_, i) => ({ ...whoIs(`late ${i}`), isGuest: true }));
  for (const who of late) enter("guest", who);
  enter("editor");
  expect(queue.waiting()).toBe(14 * 8 - 1 + 6);
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

test("a queue that is full for one caller takes others", () => {
  const { enter } = scene({ waitingOfOne: 2 });
  for (const name of ["a1", "a2", "a3"]) enter(name);
  expect(() => enter("a4")).toThrow(expect.objectContaining({ isOfOne: true }));
  enter("b1");
});

test("a queue that is full for all takes nobody, until one leaves", () => {
  const { enter } = scene({ waiting: 3 });
  const turns = ["a1", "a2", "b1", "c1"].map((name) => enter(name));
  expect(() => enter("d1")).toThrow(expect.objectContaining({ isOfOne: false }));
  turns[1]?.leave(() => null);
  enter("d1");
  expect(() => enter("e1")).toThrow(QueueFull);
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
  const { came, enter, queue } = scene({ running: 6 }, (name) => hasRoom || name !== "a1");
  for (const name of ["a1", "a2", "b1"]) enter(name);
  await settled();
  expect(came).toEqual(["b1"]);
  hasRoom = true;
  queue.admitWaiting();
  await settled();
  expect(came).toEqual(["b1", "a1", "a2"]);
});

const whoever = fc.constantFrom(
  ...["x", "y", "z"].flatMap((network) => [
    { caller: `guests of ${network}`, network, isGuest: true },
    ...["a", "b", "c"].map((name) => ({
      caller: `${name} of ${network}`,
      network,
      isGuest: false,
    })),
  ]),
);
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("enter" as const), who: whoever }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("leave" as const), which: fc.nat(30) }),
    },
  ),
  { maxLength: 80 },
);
const limits = fc
  .record({
    running: fc.integer({ min: 1, max: 14 }),
    waiting: fc.nat(20),
    waitingOfOne: fc.nat(6),
    runningOfNetwork: fc.integer({ min: 1, max: 14 }),
    runningOfGuests: fc.integer({ min: 1, max: 14 }),
  })
  .map((all) => ({ ...all, runningOfGuests: Math.min(all.running, all.runningOfGuests) }));

type Limits = Required<Omit<QueueLimits, "isOfOneCaller">>;
type Entry = { readonly who: Who; readonly turn: Turn; state: "waiting" | "running" };

test("no caller and no network has more than its half, nobody waits who may run, and whoever has left is forgotten", async () => {
  await fc.assert(
    fc.asyncProperty(limits, steps, async (given, all) => {
      const queue = createFairQueue(given);
      const entries = new Set<Entry>();
      for (const step of all) {
        if (step.kind === "leave") leaveOne(entries, step.which);
        else enterOne(queue, entries, step.who);
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

function enterOne(queue: FairQueue, entries: Set<Entry>, who: Who): void {
  let turn: Turn;
  try {
    turn = queue.enter(who);
  } catch (error) {
    expect(error).toBeInstanceOf(QueueFull);
    return;
  }
  const entry: Entry = { who, turn, state: "waiting" };
  entries.add(entry);
  turn.ready.then(
    () => {
      entry.state = "running";
    },
    () => undefined,
  );
}

function check(queue: FairQueue, entries: Set<Entry>, given: Limits): void {
  const of = (state: Entry["state"], like: Partial<Who> = {}) =>
    [...entries].filter(
      ({ who, ...entry }) =>
        entry.state === state &&
        Object.entries(like).every(([key, value]) => who[key as keyof Who] === value),
    ).length;
  expect([queue.running(), queue.waiting()]).toEqual([of("running"), of("waiting")]);
  expect(of("running")).toBeLessThanOrEqual(given.running);
  expect(of("waiting")).toBeLessThanOrEqual(given.waiting);
  expect(of("running", { isGuest: true })).toBeLessThanOrEqual(given.runningOfGuests);
  expect(of("waiting", { isGuest: true })).toBeLessThanOrEqual(Math.ceil(given.waiting / 2));
  const half = Math.min(given.runningOfNetwork, Math.ceil(given.running / 2));
  const freeFor = ({ isGuest }: Who) =>
    Math.min(
      given.running - of("running"),
      isGuest ? given.runningOfGuests - of("running", { isGuest }) : given.running,
    );
  for (const { who, state } of entries) {
    const { caller, network } = who;
    expect(of("running", { network })).toBeLessThanOrEqual(half);
    expect(of("running", { caller })).toBeLessThanOrEqual(Math.ceil(half / 2));
    expect(of("waiting", { caller })).toBeLessThanOrEqual(given.waitingOfOne);
    expect(of("waiting", { network })).toBeLessThanOrEqual(Math.ceil(given.waiting / 2));
    if (state !== "waiting" || freeFor(who) === 0) continue;
    const ofNetwork = of("running", { network });
    // What its network may still have: no more than it would leave free before the last.
    let more = 0;
    while (
      ofNetwork + more < given.runningOfNetwork &&
      ofNetwork + more + 1 <= freeFor(who) - more
    ) {
      more += 1;
    }
    expect(of("running", { caller })).toBeGreaterThanOrEqual(more);
    // So nobody waits for a free place whose network has none.
    expect(ofNetwork).toBeGreaterThan(0);
  }
}
