import type { ApiClient } from "../../support/api-client.ts";
import { catalogueOf } from "../bench-catalogue.ts";
import type { BenchService } from "../bench-service.ts";
import { bulletinFile } from "../bulletin-file.ts";
import { compareBetween } from "../compare.ts";
import type { Result } from "../report.ts";

/** 0.95 of the speed without bulletins. */
const TARGET = 1 / 0.95;
const PICKS = 4;

/** What reads rows, and opens no bulletin. */
export const ROW_READS = {
  "a list": "events?pagination=cursor&limit=1000",
  "filtered events": "events/filtered?minMagnitude=4.5&orderBy=magnitude",
  "the export as CSV": "export?format=csv",
  "the export as GeoJSON": "export?format=geojson",
  columns: "events/columns",
  "the event service": "fdsnws/event/1/query?format=text&minmagnitude=4",
} as const;

/**
 * Reading rows of a catalogue of `count` events, of which `whole` have bulletins, against the same of a
 * catalogue without bulletins.
 */
export async function benchBesideBulletins(
  { client, database, shared }: BenchService,
  count: number,
  whole: number,
  repetitions: number,
): Promise<Result[]> {
  const plain = await shared.of(count);
  const id = await mixedCatalogue(client, count, whole);
  await database.query("vacuum (analyze) read_model.seismic_events");
  const results: Result[] = [];
  for (const [name, path] of Object.entries(ROW_READS)) {
    const comparison = await compareBetween(
      repetitions,
      () => readToEnd(client, `/api/catalogues/${id}/${path}`),
      () => readToEnd(client, `/api/catalogues/${plain.id}/${path}`),
    );
    results.push({
      case: `${name} beside bulletins`,
      size: `${count} events, ${whole} with bulletins`,
      unit: "s",
      ...comparison,
      yardstick: "without bulletins",
      target: TARGET,
    });
  }
  await client.send("DELETE", `/api/catalogues/${id}`);
  return results;
}

async function mixedCatalogue(client: ApiClient, count: number, whole: number): Promise<string> {
  const form = new FormData();
  form.set("file", new Blob([new Uint8Array(bulletinFile(whole, PICKS))]), "events.xml");
  const kept = await client.send<{ uploadId: string }>("POST", "/api/upload?keep=true", form);
  const { uploadId } = kept.body;
  const made = await client.send<{ id: string }>("POST", "/api/catalogues", {
    name: "with bulletins",
    uploadId,
  });
  if (made.status !== 201) throw new Error(`creating answered ${made.status}`);
  return catalogueOf(client, count - whole, made.body.id);
}

async function readToEnd(client: ApiClient, path: string): Promise<void> {
  const response = await client.stream(path, { "accept-encoding": "identity" });
  let bytes = 0;
  for await (const piece of response.body ?? []) bytes += piece.length;
  if (response.status !== 200 || bytes < 1_000) {
    throw new Error(`${path} answered ${response.status} with ${bytes} bytes`);
  }
}
