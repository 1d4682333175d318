import { setImmediate } from "node:timers/promises";
import { MessageChannel } from "node:worker_threads";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import {
  AgencyError,
  AgencyUnavailable,
  type CircuitBreaker,
  createCircuitBreaker,
} from "#infra/agency/http/exchange.ts";
import { createRequestSlots } from "#infra/kernel/fair-queue.ts";
import { openChannel } from "#infra/threads/task.ts";
import {
  createWindowPart,
  openKnownFingerprints,
  spansOfMoved,
  type WindowParts,
} from "#services/domain/imports/listing.ts";
import { createImportedReader } from "#services/domain/imports/run.ts";
import { createAgencyGates } from "#services/imports/agencies.ts";
import { createGateKeeper, createRemoteBreaker } from "#services/imports/gate.ts";
import { createTally, TooManyErrors } from "#services/imports/writer.ts";
import { testRows } from "../../support/test-rows.ts";

const EMSC = { id: "emsc", name: "EMSC", url: "https://emsc.invalid/1", requestsAtOnce: 2 };
const ISC = { id: "isc", name: "ISC", url: "https://isc.invalid/1", requestsAtOnce: 1 };

function useGates() {
  const gates = createAgencyGates();
  onTestFinished(gates.close);
  return gates;
}

/** Requests that wait for their end, and how many of them run. */
function heldRequests() {
  const ends = Promise.withResolvers<void>();
  let running = 0;
  const request = async (): Promise<void> => {
    running += 1;
    await ends.promise;
    running -= 1;
  };
  return { request, running: () => running, end: ends.resolve };
}

test("an agency is sent as many requests at once as it may be, whatever others are sent", async () => {
  const gates = useGates();
  const { signal } = new AbortController();
  const counted = [EMSC, ISC].map((agency) => {
    const held = heldRequests();
    const sent = [1, 2, 3].map(() => gates.of(agency).slots.run(held.request, signal));
    return { held, sent };
  });
  await setImmediate();
  expect(counted.map(({ held }) => held.running())).toEqual([2, 1]);
  for (const { held, sent } of counted) {
    held.end();
    await Promise.all(sent);
  }
});

test("the failures of one agency open its circuit alone, until its settings change", async () => {
  const gates = useGates();
  const fail = () => Promise.reject(new Error("it is away"));
  for (let i = 0; i < 5; i += 1) {
    await expect(gates.of(EMSC).breaker.run(fail)).rejects.toThrow("it is away");
  }
  expect([gates.state("emsc"), gates.state("isc"), gates.state("never asked")]).toEqual([
    "OPEN",
    "CLOSED",
    "CLOSED",
  ]);
  expect(gates.of({ ...EMSC })).toBe(gates.of(EMSC));
  const moved = gates.of({ ...EMSC, url: "https://emsc.invalid/2" });
  expect(await moved.breaker.run(async () => "an answer")).toBe("an answer");
  expect(gates.state("emsc")).toBe("CLOSED");
});

test("a tally counts every event once", () => {
  const tally = createTally();
  for (let i = 0; i < 5; i += 1) tally.added();
  tally.updated();
  tally.skipped("existing");
  tally.skipped("rejected");
  tally.skipped("rejected");
  tally.failed({ message: "no time" });
  expect(tally.read()).toEqual({
    totalFetched: 10,
    newEvents: 5,
    updatedEvents: 1,
    skippedEvents: 3,
    skippedReasons: { existing: 1, unchanged: 0, excluded: 0, rejected: 2 },
    errors: [{ message: "no time" }],
  });
  expect(tally.read(1)).toMatchObject({ totalFetched: 10, errors: [] });
});

test("an error's text is cut and can be stored", () => {
  const tally = createTally();
  tally.failed({ message: `\0\ud800${"x".repeat(1_000)}`, source_id: "id", where: "line 3" });
  const [error] = tally.read().errors;
  expect(error).toMatchObject({ source_id: "id", where: "line 3" });
  expect(error?.message).toMatch(/^\ufffdx+…$/);
  expect(error?.message.length).toBeLessThan(310);
});

test("more errors than a run can tell of end it, before they are too large for the log", () => {
  const tally = createTally();
  const message = "ü".repeat(300);
  const failAlways = () => {
    for (;;) tally.failed({ message });
  };
  expect(failAlways).toThrow(TooManyErrors);
  const { errors, totalFetched } = tally.read();
  expect(totalFetched).toBe(errors.length);
  expect(Buffer.byteLength(JSON.stringify(errors))).toBeLessThan(600 * 1024);
});

/** Few enough that many come again. */
const anyId = fc.oneof(
  fc.nat(3_000).map((n) => `smi:nz.org.geonet/2024p${n}`),
  fc.string({ unit: "binary", maxLength: 3 }),
  fc.constantFrom("", "é", "e\u0301", "𐐷", "a\0", "a", "x".repeat(70_000)),
);
const anyFingerprint = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

test("what is known of ids equals a plain map, also when it was packed in between", () => {
  const anyStep = fc.record({
    puts: fc.array(fc.tuple(anyId, anyFingerprint), { maxLength: 3_000 }),
    thoroughMs: fc.option(fc.nat()),
    parts: fc.record({ done: fc.nat(2), toMs: fc.integer() }),
  });
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 4 }), fc.array(anyId), (steps, others) => {
      const oracle = new Map<string, bigint>();
      let known = openKnownFingerprints(null);
      for (const { puts, thoroughMs, parts } of steps) {
        for (const [id, fingerprint] of puts) {
          expect(known.get(id)).toBe(oracle.get(id) ?? 0n);
          known.put(id, fingerprint);
          oracle.set(id, fingerprint);
        }
        known = openKnownFingerprints(known.pack(thoroughMs, parts));
        expect([known.thoroughMs, known.parts]).toEqual([thoroughMs, parts]);
        expect(known.size()).toBe(oracle.size);
      }
      for (const id of [...oracle.keys(), ...others]) {
        expect(known.get(id)).toBe(oracle.get(id) ?? 0n);
      }
    }),
    { numRuns: 50 },
  );
});

test("a form that is not known is as if nothing were known", () => {
  const known = openKnownFingerprints(null);
  known.put("2024p1", 5n);
  const packed = known.pack(7);
  packed[0] = 9;
  for (const bytes of [packed, new Uint8Array()]) {
    const { thoroughMs, size, get } = openKnownFingerprints(bytes);
    expect([thoroughMs, size(), get("2024p1")]).toEqual([null, 0, 0n]);
  }
});

test("what was packed before windows were read in parts is read on", () => {
  // Form 1: a time of 7, one entry, its fingerprint 5, and "2024p1".
  const packed = Buffer.from(
    "01" + "0000000000001c40" + "01000000" + "0500000000000000" + "06000000" + "323032347031",
    "hex",
  );
  const known = openKnownFingerprints(packed);
  expect([known.thoroughMs, known.size(), known.get("2024p1")]).toEqual([7, 1, 5n]);
  expect(known.parts.done).toBe(0);
  expect(openKnownFingerprints(known.pack(7)).get("2024p1")).toBe(5n);
});

const read = createImportedReader(Date.UTC(2024, 0, 1));
const row: JsonObject = {
  source_id: "2016p858000",
  time: "2016-11-13T11:02:56.346Z",
  latitude: -42.69,
  longitude: 173.02,
  depth: 15.1,
  magnitude: 7.8,
};
const IDS = { sourceId: "2016p858000", publicId: null };
const recordOf = (changes: JsonObject) => {
  const imported = read({ ...row, ...changes });
  if (imported.outcome !== "event") throw new Error(JSON.stringify(imported));
  return imported.record;
};

test("an event is its record, by the agency's id", () => {
  const imported = read(row);
  expect(imported).toMatchObject({ outcome: "event", ids: IDS, record: row });
});

test("a magnitude may be missing", () => {
  expect(recordOf({ magnitude: null }).magnitude).toBeNull();
});

testRows(
  "an agency's values are read as they are meant",
  [
    [{ event_type: "not existing" }, "excluded"],
    [{ event_type: "other event", extra: { event_type: "duplicate" } }, "excluded"],
    [{ event_type: "other event", extra: { EventType: "Duplicate" } }, "excluded"],
    [{ event_type: "other event", extra: { event_type: "lahar" } }, "event"],
    [{ evaluation_status: "rejected" }, "rejected"],
    [{ evaluation_status: "preliminary" }, "event"],
  ] as const,
  (changes, outcome) => {
    expect(read({ ...row, ...changes }).outcome).toBe(outcome);
  },
);

test("what is out of its range is kept in extra, as the agency has it", () => {
  const extra = { version: "3" };
  const region = "x".repeat(300);
  const record = recordOf({ magnitude: 12, depth: -99, region, azimuthal_gap: 400, extra });
  expect(record).toMatchObject({ magnitude: null, depth: null, region: null, azimuthal_gap: null });
  expect(record.extra).toEqual({
    version: "3",
    magnitude: 12,
    depth: -99,
    region,
    azimuthal_gap: 400,
  });
});

test("what is in extra already stays", () => {
  expect(recordOf({ depth: 5_000, extra: { depth: "5000 m" } }).extra).toEqual({ depth: "5000 m" });
});

testRows(
  "a value that is none is an error of the event",
  [
    [{ time: null }, "time is required"],
    [{ time: "2030-01-01T00:00:00Z" }, "time must not be in the future"],
    [{ latitude: 91, magnitude: 12 }, "latitude must be between -90 and 90 deg"],
    [{ longitude: null }, "longitude is required"],
  ],
  (changes, message) => {
    expect(read({ ...row, ...changes })).toEqual({
      outcome: "error",
      ids: IDS,
      message: expect.stringContaining(message),
    });
  },
);

test("an event without an id is an error: it could not be found again", () => {
  const ids = { sourceId: null, publicId: null };
  expect(read({ ...row, source_id: null })).toMatchObject({ outcome: "error", ids });
});

test("a public id that could not stand as source_id is an error of the event", () => {
  const extra = { public_id: `smi:a.bc/${"x".repeat(247)}` };
  expect(read({ ...row, extra })).toEqual({
    outcome: "error",
    ids: IDS,
    message: "the event's public id is longer than 255 characters",
  });
});

test("a public id alone is an id, also of an event that is in error", () => {
  const given = { ...row, source_id: null, extra: { public_id: "smi:a.bc/2024/1" } };
  const ids = { sourceId: null, publicId: "smi:a.bc/2024/1" };
  expect(read(given)).toMatchObject({ outcome: "event", ids });
  expect(read({ ...given, latitude: 91 })).toMatchObject({ outcome: "error", ids });
});

type Remote = Pick<CircuitBreaker, "run"> & { readonly leave: () => void };

/** A breaker with two slots, and the ends of so many workers. */
function openGate(workers: number): { breaker: CircuitBreaker; remotes: Remote[] } {
  const breaker = createCircuitBreaker({ name: "agency" });
  const gate = { breaker, slots: createRequestSlots(2) };
  const remotes = Array.from({ length: workers }, () => {
    const { port1, port2 } = new MessageChannel();
    const keeper = openChannel(port1, 1, createGateKeeper(gate));
    onTestFinished(keeper.close);
    const worker = openChannel(port2, 1);
    return { ...createRemoteBreaker(worker.call), leave: worker.close };
  });
  onTestFinished(breaker.close);
  return { breaker, remotes };
}

const ill = () => Promise.reject(new AgencyUnavailable("down", { status: 500 }));

test("a request's outcome comes back as it was, and the breaker has noted it", async () => {
  const { breaker, remotes } = openGate(2);
  const [one, other] = remotes;
  expect(await one?.run(async () => 42)).toBe(42);
  for (let i = 0; i < 5; i += 1) await expect(one?.run(ill)).rejects.toThrow("down");
  expect(breaker.state()).toBe("OPEN");
  await expect(other?.run(async () => 42)).rejects.toMatchObject({
    name: "CircuitOpen",
    circuit: "agency",
  });
});

test("a refusal of the agency's is no failure", async () => {
  const { breaker, remotes } = openGate(1);
  const refused = () => Promise.reject(new AgencyError("no such parameter", { status: 400 }));
  for (let i = 0; i < 9; i += 1) await expect(remotes[0]?.run(refused)).rejects.toThrow("no such");
  expect(breaker.state()).toBe("CLOSED");
});

test("two requests run at once, of all workers, and those of a worker that is gone make room", async () => {
  const { remotes } = openGate(3);
  const [one, other, third] = remotes;
  let running = 0;
  const started = Promise.withResolvers<void>();
  const hang = () => {
    running += 1;
    if (running === 2) started.resolve();
    return new Promise<void>(() => {});
  };
  void one?.run(hang);
  void other?.run(hang);
  await started.promise;
  const waiting = third?.run(async () => running);
  one?.leave();
  expect(await waiting).toBe(2);
});

const MARGIN_MS = 2_000;

test("each event that moved lies within one span, with room for rounded times", () => {
  const anyTimes = fc.array(fc.integer({ min: -1e12, max: 1e12 }), { maxLength: 300 });
  fc.assert(
    fc.property(anyTimes, anyTimes, (moved, others) => {
      const spans = spansOfMoved(moved, [...moved, ...others]);
      for (const time of moved) {
        const around = spans.filter(
          ({ from, to }) => from + MARGIN_MS <= time && time <= to - MARGIN_MS,
        );
        expect(around).toHaveLength(1);
      }
      expect(spans.length).toBeLessThanOrEqual(Math.min(40, moved.length));
      for (const [i, span] of spans.entries()) {
        expect(span.from).toBeGreaterThan(spans[i - 1]?.to ?? Number.NEGATIVE_INFINITY);
      }
    }),
  );
});

test("events with few others between them are asked for at once, others by themselves", () => {
  const HOUR = 3_600_000;
  const listed = Array.from({ length: 1_000 }, (_, i) => i * HOUR);
  const spans = spansOfMoved([500 * HOUR, 10 * HOUR, 15 * HOUR], listed);
  expect(spans).toEqual([
    { from: 10 * HOUR - MARGIN_MS, to: 15 * HOUR + MARGIN_MS },
    { from: 500 * HOUR - MARGIN_MS, to: 500 * HOUR + MARGIN_MS },
  ]);
  expect(spansOfMoved([], listed)).toEqual([]);
});

test("where much moved, the widest gaps alone are left out", () => {
  const listed = Array.from({ length: 100_000 }, (_, i) => i * 60_000);
  const moved = listed.filter((_, i) => i % 100 === 0 && (i < 40_000 || i > 60_000));
  const spans = spansOfMoved(moved, listed);
  expect(spans).toHaveLength(40);
  const isInGap = ({ from, to }: { from: number; to: number }) =>
    from <= 50_000 * 60_000 && to >= 50_000 * 60_000;
  expect(spans.some(isInGap)).toBe(false);
});

const HOUR_MS = 3_600_000;
const anyTimes = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 300 });
/** Events of a window by their times, in batches in order of time; some come to it from run to run. */
const anyRuns = fc.array(fc.record({ added: anyTimes, batches: fc.integer({ min: 1, max: 5 }) }), {
  minLength: 3,
  maxLength: 12,
});

test("in any three runs all of a window was read, each event once and a third at a time", () => {
  fc.assert(
    fc.property(anyTimes, anyRuns, (first, runs) => {
      const window = [...first];
      let parts: WindowParts = { done: 0, toMs: 0 };
      /** Events, by their places, that runs have read since all of them had been. */
      let read = new Set<number>();
      let inARow = 0;
      for (const { added, batches } of runs) {
        // New events are read since they are new.
        for (const time of added) read.add(window.push(time) - 1);
        const part = createWindowPart(parts, window.length);
        const size = Math.ceil(400 / batches);
        let count = 0;
        for (let from = 0; from <= 400; from += size) {
          const places = window.flatMap((time, i) =>
            time >= from && time < from + size ? [i] : [],
          );
          part.extend(places.map((place) => window[place] ?? 0));
          for (const place of places) {
            if (!part.has(window[place] ?? 0)) continue;
            count += 1;
            read.add(place);
          }
        }
        inARow += 1;
        parts = part.after();
        expect(parts.done).toBe(part.isLast() ? 0 : inARow);
        expect(inARow).toBeLessThanOrEqual(3);
        const distinct = new Set(window).size;
        const together = window.length - distinct;
        if (inARow < 3)
          expect(count).toBeLessThanOrEqual(Math.max(50, window.length / 3 + 1) + together);
        if (!part.isLast()) continue;
        expect(read.size).toBe(window.length);
        read = new Set();
        inARow = 0;
      }
    }),
  );
});

test("a window of few events is read whole by each run", () => {
  const part = createWindowPart({ done: 0, toMs: 0 }, 50);
  part.extend(Array.from({ length: 50 }, (_, i) => i * HOUR_MS));
  expect([part.isLast(), part.has(0), part.has(49 * HOUR_MS)]).toEqual([true, true, true]);
});
