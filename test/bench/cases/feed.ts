import type { CatalogueVersion } from "#contracts/http/catalogues.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { type BenchService, catalogueOf, remove } from "../../support/bench-service.ts";
import { type Result, secondsOf, within } from "../measure.ts";

const REPLAYED_PER_SECOND = 50_000;

/** How fast the change feed replays the past. */
export async function benchFeed({ client }: BenchService, changes: number): Promise<Result> {
  const id = await catalogueOf(client, changes);
  const result = await replayOf(client, id, changes, 2);
  await remove(client, id);
  return result;
}

/** The past of a catalogue of `count` events to which nothing but events was added, so many times. */
export async function replayOf(
  client: ApiClient,
  id: string,
  count: number,
  times: number,
): Promise<Result> {
  const path = `/api/catalogues/${id}`;
  const { body } = await client.get<{ versions: [CatalogueVersion] }>(`${path}/versions`);
  const [{ version, added }] = body.versions;
  const passes: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const read = () => readUntil(client, `${path}/feed?after=0`, `id: ${version}.${added}\n`);
    passes.push(await secondsOf(read));
  }
  const size = `${count} changes`;
  return within(["feed, replay", size, "s"], count / REPLAYED_PER_SECOND, passes);
}

/** Takes a stream until it has had a line. */
async function readUntil(client: ApiClient, path: string, line: string): Promise<void> {
  const { body } = await client.stream(path);
  let rest = Buffer.alloc(0);
  for await (const bytes of body ?? []) {
    const text = Buffer.concat([rest, bytes]);
    if (text.includes(line)) return;
    rest = text.subarray(-line.length);
  }
  throw new Error(`the stream ended before ${line}`);
}
