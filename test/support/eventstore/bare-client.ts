import { EventStoreDBClient, jsonEvent } from "@eventstore/db-client";
import { onTestFinished } from "vitest";
import type { EventStoreServer } from "./event-store-server.ts";

/** The client as it is, for one test: to show what the adapter has to survive. */
export function bareClient({ url }: Pick<EventStoreServer, "url">): EventStoreDBClient {
  const client = EventStoreDBClient.connectionString(url);
  // Not waited for: of a stream that the server has ended it never comes back.
  onTestFinished(() => void client.dispose());
  return client;
}

export function anyEvent(type = "Tested") {
  return jsonEvent({ type, data: { place: "Kaikōura" } });
}

export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => {
      throw new Error("it did not fail");
    },
    (error: unknown) => error,
  );
}

/** Whether something is undecided still. */
export async function isPending(work: Promise<unknown>): Promise<boolean> {
  const undecided = Symbol("undecided");
  const first = await Promise.race([work.catch(() => null), Promise.resolve(undecided)]);
  return first === undecided;
}
