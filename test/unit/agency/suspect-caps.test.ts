import fc from "fast-check";
import { expect, test } from "vitest";
import type { PlacedEvent } from "#infra/agency/agency-event.ts";
import type { WindowReader } from "#infra/agency/read-window.ts";
import { createAnswerCap, createSuspiciousReader } from "#infra/agency/suspect-caps.ts";
import type { TimeWindow } from "#infra/agency/time-window.ts";
import { testRows } from "../../support/test-rows.ts";

const HOUR = 3_600_000_000n;
const WINDOW: TimeWindow = { from: 0n, to: 1_000n * HOUR };
const { signal } = new AbortController();

/** An agency with an event at each time that gives at most `most` of a window, in silence. */
function readerOf(times: readonly bigint[], most: number) {
  const asked: TimeWindow[] = [];
  const read: WindowReader = async (window) => {
    asked.push(window);
    const inside = times.filter((time) => time >= window.from && time < window.to);
    const events = inside.slice(0, most).map(
      (time): PlacedEvent => ({
        event: { time: "2020-01-01T00:00:00Z", source_id: `eq${time}` },
        line: 1,
        answer: "",
      }),
    );
    const rows = [events.length];
    const largestAnswer = events.length;
    return { kind: "events", events, beside: [], errors: [], repeated: 0, largestAnswer, rows };
  };
  return { read, asked };
}

const timesOf = (count: number) =>
  Array.from({ length: count }, (_, i) => (BigInt(i) * WINDOW.to) / BigInt(count));

testRows(
  "round numbers of events are suspected, and are the cap where halves have more",
  [100, 500, 1_000],
  async (most) => {
    const { read, asked } = readerOf(timesOf(3 * most), most);
    const cap = createAnswerCap(10_000);
    expect(await createSuspiciousReader(read, cap)(WINDOW, signal)).toEqual({ kind: "tooMuch" });
    expect([cap.now(), asked.length]).toEqual([most, 3]);
  },
);

test("a window that has so many events is split once and stands", async () => {
  const { read, asked } = readerOf(timesOf(500), 10_000);
  const cap = createAnswerCap(10_000);
  const outcome = await createSuspiciousReader(read, cap)(WINDOW, signal);
  expect(outcome).toMatchObject({ kind: "events", rows: [500] });
  expect([cap.now(), asked.length]).toEqual([10_000, 3]);
});

test("other numbers are believed", async () => {
  const number = fc.integer({ min: 0, max: 1_500 }).filter((n) => ![100, 500, 1_000].includes(n));
  await fc.assert(
    fc.asyncProperty(number, async (count) => {
      const { read, asked } = readerOf(timesOf(count), 10_000);
      await createSuspiciousReader(read, createAnswerCap(10_000))(WINDOW, signal);
      expect(asked).toEqual([WINDOW]);
    }),
    { numRuns: 20 },
  );
});
