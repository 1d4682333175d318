import fc from "fast-check";
import { expect, test } from "vitest";
import type { AlertKind } from "#contracts/events/alerts.ts";
import { emptyRecord } from "#contracts/seismic-event/seismic-event.ts";
import {
  type AlertedEvent,
  type AlertRule,
  areSame,
  changesSince,
  isIn,
  type ToldValues,
  tellChange,
  tellSince,
  valuesOf,
} from "#services/domain/alerts.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";

const NOW = Date.parse("2026-11-30T12:00:00Z");
const ALL: AlertRule = {
  filter: ({ magnitude }) => magnitude !== null && magnitude >= 5,
  on: ["new", "revised", "withdrawn"],
  revisedBy: null,
  maxAgeMs: 24 * 3_600_000,
};

function event(parts: Partial<AlertedEvent> = {}): AlertedEvent {
  const record = emptyRecord({ time: "2026-11-30T11:00:00Z", latitude: -41, longitude: 174 });
  return { id: "one", ...record, magnitude: 5.2, depth: 10, ...parts };
}

const told = (before: AlertedEvent | null, after: AlertedEvent | null, rule = ALL) =>
  tellChange(rule, null, { before, after }, NOW).kind;

testRows(
  "an event that is out is none",
  [
    ["filter", { magnitude: 4.9 }],
    ["no magnitude", { magnitude: null }],
    ["rejected", { evaluation_status: "rejected" }],
    ["not existing", { event_type: "not existing" }],
    ["duplicate", { event_type: "duplicate" }],
    ["withdrawn", { extra: { withdrawn_at: "2026-11-30T11:30:00Z" } }],
  ] as const,
  (_, parts) => {
    const out = event(parts as Partial<AlertedEvent>);
    expect(isIn(ALL, out)).toBe(false);
    expect(told(null, out)).toBeNull();
    expect(told(out, event())).toBe("new");
    expect(told(event(), out)).toBe("withdrawn");
  },
);

test("what comes in is new unless it is old, and counts as told all the same", () => {
  const old = event({ time: "2026-11-29T11:59:59Z" });
  expect(told(null, event())).toBe("new");
  expect(told(null, old)).toBeNull();
  expect(told(old, { ...old, magnitude: 6 })).toBe("revised");
  expect(told(old, null)).toBe("withdrawn");
});

test("a kind that is not asked for is not told", () => {
  expect(told(null, event(), { ...ALL, on: ["revised"] })).toBeNull();
  expect(told(event(), event({ depth: 9 }), { ...ALL, on: ["new", "withdrawn"] })).toBeNull();
  expect(told(event(), null, { ...ALL, on: ["new", "revised"] })).toBeNull();
});

testRows(
  "a revision is told where one bound is reached, which decimal fractions reach exactly",
  [
    [{ magnitude: 0.1 }, { magnitude: 5.3 }, true],
    [{ magnitude: 0.2 }, { magnitude: 5.3 }, false],
    [{ magnitude: 3 }, { depth: null }, false],
    [{ depthKm: 100 }, { depth: null }, true],
    [{ depthKm: 5 }, { depth: 15 }, true],
    [{ seconds: 1.5 }, { time: "2026-11-30T11:00:01.5Z" }, true],
    [{ seconds: 1.5 }, { time: "2026-11-30T11:00:01.4Z" }, false],
    [{ distanceKm: 50, seconds: 1 }, { latitude: -41.5 }, true],
    [{ distanceKm: 60 }, { latitude: -41.5 }, false],
    [{ status: true }, { evaluation_status: "reviewed" }, true],
    [{ status: true }, { depth: 30 }, false],
  ] as const,
  (revisedBy, parts, isTold) => {
    const kind = told(event(), event(parts as Partial<AlertedEvent>), { ...ALL, revisedBy });
    expect(kind).toBe(isTold ? "revised" : null);
  },
);

test("changes are now less then, and absent where there are none", () => {
  const now = event({ magnitude: 5, depth: null, evaluation_status: "final", latitude: -40 });
  expect(changesSince(valuesOf(event()), valuesOf(now))).toEqual({
    magnitude: -0.2,
    depthKm: null,
    distanceKm: expect.closeTo(111.195, 2),
    status: true,
  });
  const same = event({ time: "2026-11-30T11:00:00.000Z" });
  expect(changesSince(valuesOf(event()), valuesOf(same))).toEqual({});
});

/** One event of a history: nothing, or with values of a few. */
const someEvent = fc.option(
  fc.record({
    magnitude: fc.constantFrom(4.8, 4.9, 5, 5.1, 5.2, 5.4, null),
    depth: fc.constantFrom(10, 12, null),
    evaluation_status: fc.constantFrom(
      "preliminary" as const,
      "reviewed" as const,
      "rejected" as const,
    ),
    event_type: fc.constantFrom("earthquake" as const, "duplicate" as const, null),
    time: fc.constantFrom("2026-11-30T11:00:00Z", "2026-11-29T11:00:00Z"),
  }),
  { freq: 4 },
);
const someRule = fc.record({
  least: fc.constantFrom(4.85, 5, 5.15),
  on: fc.subarray(["new", "revised", "withdrawn"] as AlertKind[], { minLength: 1 }),
  revisedBy: fc.constantFrom(
    null,
    { magnitude: 0.2 },
    { status: true },
    { depthKm: 2, magnitude: 0.3 },
  ),
});
const someSteps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ change: someEvent }) },
    { weight: 1, arbitrary: fc.record({ rule: someRule }) },
    { weight: 1, arbitrary: fc.record({ mayRead: fc.boolean() }) },
  ),
  { maxLength: 30 },
);

const ruleFrom = ({
  least,
  on,
  revisedBy,
}: typeof someRule extends fc.Arbitrary<infer R> ? R : never) => ({
  ...ALL,
  filter: ({ magnitude }: { magnitude: number | null }) => magnitude !== null && magnitude >= least,
  on,
  revisedBy,
});

/**
 * A plain model: it remembers always what counts as told, where the product remembers it only where that is not what
 * the event is now.
 */
function model() {
  let counted: ToldValues | null = null;
  return {
    read: () => counted,
    change(rule: AlertRule, after: AlertedEvent | null): AlertKind | null {
      const was = counted;
      if (!isIn(rule, after)) {
        counted = null;
        return was !== null && rule.on.includes("withdrawn") ? "withdrawn" : null;
      }
      const now = valuesOf(after);
      if (was === null) {
        counted = now;
        const isRecent = Date.parse(now.time) >= NOW - rule.maxAgeMs;
        return isRecent && rule.on.includes("new") ? "new" : null;
      }
      const { magnitude, depthKm, status } = changesSince(was, now);
      const by = rule.revisedBy;
      const reaches = (change: number | null | undefined, bound = Number.POSITIVE_INFINITY) =>
        change === null ? bound < Number.POSITIVE_INFINITY : Math.abs(change ?? 0) >= bound;
      const isRevised =
        by === null
          ? !areSame(was, now)
          : reaches(magnitude, by.magnitude) ||
            reaches(depthKm, by.depthKm) ||
            (by.status === true && status === true);
      if (!isRevised) return null;
      counted = now;
      return rule.on.includes("revised") ? "revised" : null;
    },
    /** What comes in or goes by a change of the rule or of a right counts as told, or as not told, in silence. */
    begin(rule: AlertRule, present: AlertedEvent | null, keeps: boolean): void {
      if (!isIn(rule, present)) counted = null;
      else if (counted === null || !keeps) counted = valuesOf(present);
    },
  };
}

test("what is told in order is what a model tells that remembers everything, ends in what is true, and nothing is told twice", () => {
  fc.assert(
    fc.property(someRule, someSteps, (first, steps) => {
      let rule: AlertRule = ruleFrom(first);
      let [mayRead, isKept] = [true, false];
      let present: AlertedEvent | null = null;
      let kept: ToldValues | null = null;
      const expected = model();
      for (const step of steps) {
        if ("rule" in step) {
          rule = ruleFrom(step.rule);
          if (mayRead) expected.begin(rule, present, true);
        } else if ("mayRead" in step) {
          if (mayRead && !step.mayRead) isKept = kept !== null;
          if (!mayRead && step.mayRead) expected.begin(rule, present, isKept);
          mayRead = step.mayRead;
        } else {
          const { change } = step;
          const after = change === null ? null : event(change as Partial<AlertedEvent>);
          if (mayRead && (present !== null || after !== null)) {
            const before = expected.read();
            const telling = tellChange(rule, kept, { before: present, after }, NOW);
            expect(telling.kind).toBe(expected.change(rule, after));
            expect(telling.told).toEqual(expected.read());
            expect(telling.since).toEqual(before);
            // Nothing is told that was told already, and what was told last is what is true.
            if (telling.kind === "revised")
              expect(areSame(telling.told ?? valuesOf(event()), before ?? valuesOf(event()))).toBe(
                false,
              );
            if (telling.kind !== null) {
              expect(telling.told).toEqual(isIn(rule, after) ? valuesOf(after) : null);
            }
            const isNatural =
              telling.told === null || (after !== null && areSame(telling.told, valuesOf(after)));
            kept = isNatural ? null : telling.told;
          }
          present = after;
        }
      }
    }),
    { numRuns: runs(100_000, 1 / 100) },
  );
});

test("what is joined while a message waits tells what has changed since that message, or nothing", () => {
  fc.assert(
    fc.property(
      someRule,
      someEvent,
      fc.array(someEvent, { minLength: 1 }),
      (some, first, later) => {
        const rule = ruleFrom(some);
        const asEvent = (one: typeof first) =>
          one === null ? null : event(one as Partial<AlertedEvent>);
        const sent = tellSince(rule, null, asEvent(first), NOW);
        const last = asEvent(later.at(-1) ?? null);
        const joined = tellSince(rule, sent.told, last, NOW);
        // However often it changed in between.
        if (isIn(rule, last) && sent.told !== null && areSame(sent.told, valuesOf(last))) {
          expect(joined.kind).toBeNull();
        }
        if (sent.told === null && !isIn(rule, last)) expect(joined.kind).toBeNull();
        if (joined.kind === "withdrawn") expect(sent.told).not.toBeNull();
        if (joined.kind === "revised") expect(joined.since).toEqual(sent.told);
      },
    ),
    { numRuns: runs(20_000, 1 / 50) },
  );
});
