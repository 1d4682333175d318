import { expect, test } from "vitest";
import type { Job } from "#contracts/http/jobs.ts";
import { jobEvents } from "#services/gateway/routes/stream-job.ts";

const jobAt = (done: number): Job => ({
  id: "5b0c8f0e-6c8d-4b8e-9a55-0d3c0a1f7e11",
  kind: "merge",
  status: "running",
  progress: { done, total: 10, unit: "events" },
  created_at: "2020-01-01T00:00:00.000Z",
  updated_at: "2020-01-01T00:00:00.000Z",
});

/** What is sent when the job is looked at, at these seconds, with so much of it done. */
async function sent(looks: readonly (readonly [second: number, done: number])[]) {
  let nowMs = 0;
  async function* changes() {
    for (const [second, done] of looks) {
      nowMs = second * 1000;
      yield jobAt(done);
    }
  }
  const events: string[] = [];
  let news = 0;
  const onNews = (): void => {
    news += 1;
  };
  for await (const event of jobEvents(changes(), () => nowMs, onNews)) events.push(event);
  expect(news).toBe(events.filter((event) => event !== HEARTBEAT).length);
  return events;
}

const eventAt = (done: number) =>
  `event: operation\ndata: ${JSON.stringify({ operation: jobAt(done) })}\n\n`;
const HEARTBEAT = ": still running\n\n";

test("an operation is told of when it has changed", async () => {
  expect(
    await sent([
      [1, 0],
      [2, 0],
      [3, 4],
      [4, 4],
      [5, 9],
    ]),
  ).toEqual([eventAt(0), eventAt(4), eventAt(9)]);
});

test("a comment is sent when nothing was for fifteen seconds", async () => {
  expect(
    await sent([
      [1, 0],
      [15.9, 0],
      [16, 0],
      [30.9, 0],
      [31, 0],
      [32, 1],
    ]),
  ).toEqual([eventAt(0), HEARTBEAT, HEARTBEAT, eventAt(1)]);
});
