import type { BackgroundOperation } from "#contracts/http/background-operations.ts";

const HEARTBEAT_MS = 15_000;
const HEARTBEAT = ": still running\n\n";

/**
 * Server-sent events: one for each change, and a comment now and then, so that nobody on the way
 * takes the connection for dead.
 * @param now milliseconds from any start
 */
export async function* operationEvents(
  looks: AsyncIterable<BackgroundOperation>,
  now: () => number,
): AsyncGenerator<string> {
  let last = "";
  let sentAt = 0;
  for await (const operation of looks) {
    const data = JSON.stringify({ operation });
    const isNews = data !== last;
    if (!isNews && now() - sentAt < HEARTBEAT_MS) continue;
    yield isNews ? `event: operation\ndata: ${data}\n\n` : HEARTBEAT;
    last = data;
    sentAt = now();
  }
}
