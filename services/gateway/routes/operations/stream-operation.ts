import { Readable } from "node:stream";
import type { BackgroundOperation } from "#contracts/http/background-operations.ts";
import type { Operations } from "#contracts/http/operations.ts";
import type { OperationStore } from "#infra/operations/operation-store.ts";
import type { Handler } from "../../handler.ts";
import { operationChanges } from "./operation-changes.ts";
import { ownOperation } from "./own-operation.ts";

const HEARTBEAT_MS = 15_000;
const HEARTBEAT = ": still running\n\n";

/** @param stopping ends every stream, so that the service can stop while clients listen */
export function streamOperationHandler({
  store,
  stopping,
}: {
  store: OperationStore;
  stopping: AbortSignal;
}): Handler<Operations["streamOperation"]> {
  return async ({ params: { id }, actor }) => {
    await ownOperation(store, actor, id);
    const look = async () => (await store.find(id))?.operation ?? null;
    return {
      contentType: "text/event-stream",
      headers: { "cache-control": "no-store", "x-accel-buffering": "no" },
      open: async () => Readable.from(serverSentEvents(operationChanges(look, stopping))),
    };
  };
}

/** An event for each change; a comment now and then, so that nobody takes the connection for dead. */
async function* serverSentEvents(
  changes: AsyncIterable<BackgroundOperation>,
): AsyncGenerator<string> {
  let last = "";
  let sentAt = 0;
  for await (const operation of changes) {
    const data = JSON.stringify({ operation });
    const now = performance.now();
    if (data === last && now - sentAt < HEARTBEAT_MS) continue;
    yield data === last ? HEARTBEAT : `event: operation\ndata: ${data}\n\n`;
    last = data;
    sentAt = now;
  }
}
