import { expect, test } from "vitest";
import { createFileReader } from "#infra/formats/files/file-reader.ts";
import { pick, plainEvent, scml } from "./documents.ts";

const EVENTS = 1_000;
const PICKS = 20;
const PIECE_BYTES = 64 * 1024;
/** What events take in a step, and one more event. */
const MOST_BYTES = 320 * 1024;

const FILE = Buffer.from(
  scml([...numbers(EVENTS * PICKS).map((i) => pick(`p${i}`)), ...numbers(EVENTS).flatMap(eventOf)]),
);

function eventOf(event: number): readonly string[] {
  const arrivals = numbers(PICKS).map(
    (i) => `<arrival><pickID>p${event * PICKS + i}</pickID><phase>P</phase></arrival>`,
  );
  return plainEvent(`e${event}`, ...arrivals);
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

test("a large file in SCML gives its events in steps at its end, each whole", () => {
  let bytes = 0;
  let picks = 0;
  const ids: unknown[] = [];
  const reader = createFileReader(
    {
      row(row, _line, bulletin) {
        ids.push(row["source_id"]);
        picks += bulletin?.pick?.length ?? 0;
        bytes += JSON.stringify(bulletin).length;
      },
      error: (_, message) => expect.fail(message),
      warning: (_, message) => expect.fail(message),
    },
    { extension: "", delimiter: "auto", bulletins: true },
  );
  for (let at = 0; at < FILE.length; at += PIECE_BYTES) {
    reader.write(FILE.subarray(at, at + PIECE_BYTES));
  }
  expect(ids).toEqual([]);
  const steps: number[] = [];
  const rest = reader.end();
  for (let step = rest.next(); ; step = rest.next()) {
    steps.push(bytes);
    bytes = 0;
    if (step.done) {
      expect(step.value.elements?.["pick"]).toMatchObject({ read: EVENTS * PICKS, dropped: 0 });
      break;
    }
  }
  expect(ids).toEqual(numbers(EVENTS).map((i) => `e${i}`));
  expect(picks).toBe(EVENTS * PICKS);
  expect(steps.length).toBeGreaterThan(10);
  expect(Math.max(...steps)).toBeLessThan(MOST_BYTES);
});
