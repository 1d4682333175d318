import { setTimeout as delay } from "node:timers/promises";
import { createRandom } from "../support/random.ts";
import { readDocument } from "./api-document.ts";
import { runFuzzClient } from "./fuzz-client.ts";
import { createTally, type FuzzReport, watchMemory } from "./fuzz-report.ts";
import { createSender } from "./send-request.ts";
import { baseFiles } from "./spoil.ts";
import { startWorld } from "./world.ts";

const SECOND = 1_000;
const CLIENTS = 6;
const PAUSE_MS = 10 * SECOND;
const LAST_WORDS = 4_000;
const TELL_MS = 30 * SECOND;
/** Of the time, before the memory is looked at. */
const WARM_SHARE = 0.2;

/** Sends hostile requests for `seconds`, at random from `seed`, to a service that it starts. */
export async function runFuzz(
  seconds: number,
  seed: number,
  tell: (progress: string) => void = () => {},
): Promise<FuzzReport> {
  const world = await startWorld(createRandom(seed));
  const { service } = world;
  const tally = createTally();
  const ends: string[] = [];
  const sender = createSender(service.url);
  const telling = setInterval(() => tell(`${tally.requests()} requests`), TELL_MS);
  try {
    const document = await readDocument(service.url);
    const files = baseFiles();
    const memory = watchMemory(service.pid, seconds * SECOND * WARM_SHARE);
    const ending = new AbortController();
    const clients = Array.from({ length: CLIENTS }, (_, i) => {
      const random = createRandom(seed + 1 + i);
      return runFuzzClient({ world, document, files, sender, random, tally }, ending.signal);
    });
    await Promise.race([delay(seconds * SECOND), ...clients]);
    ending.abort();
    await Promise.all(clients);
    tell(`${tally.requests()} requests, ${world.agency.answered()} of the agency; at rest`);
    const report = await memory.report(Math.min(PAUSE_MS, seconds * SECOND));
    if (!service.isRunning()) {
      ends.push(`the service has ended by itself: ${service.output().slice(-LAST_WORDS)}`);
    }
    ends.push(...unexpectedLines(service.output()));
    return { ...tally.read(), memory: report, ends };
  } finally {
    clearInterval(telling);
    sender.close();
    const code = await world.close();
    if (code !== 0) ends.push(`the service ended with ${code}`);
  }
}

/** Faults that the log tells of and no answer does. */
function unexpectedLines(output: string): string[] {
  return output
    .split("\n")
    .filter((line) => /"level":(?:50|60)/.test(line) && !line.includes('"request failed"'))
    .map((line) => line.slice(0, 500));
}
