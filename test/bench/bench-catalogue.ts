import { setImmediate } from "node:timers/promises";
import type { ApiClient } from "../support/api-client.ts";
import { catalogueBody } from "../support/generate-catalogue.ts";

const PER_REQUEST = 500_000;

/**
 * A generated catalogue of `count` events, made in as many requests as it needs; its id.
 * @param into a catalogue that takes the events instead of a new one
 */
export async function catalogueOf(client: ApiClient, count: number, into = ""): Promise<string> {
  let id = into;
  for (let from = 0; from < count; from += PER_REQUEST) {
    const body = catalogueBody(`bench ${count}`, from + 1, Math.min(PER_REQUEST, count - from));
    const unique = body.replaceAll('"source_id":"', `"source_id":"${from}-`);
    // What was made meanwhile kept this thread busy: connections that have ended are heard of first.
    await setImmediate();
    const path = id === "" ? "/api/catalogues" : `/api/catalogues/${id}/events`;
    const answer = await client.send<{ id: string }>("POST", path, Buffer.from(unique));
    if (answer.status >= 300) throw new Error(`creating answered ${answer.status}`);
    if (id === "") ({ id } = answer.body);
  }
  return id;
}
