import { strict as assert } from "node:assert";
import type { Client } from "pg";
import { to as copyTo } from "pg-copy-streams";
import { DEFAULT_COLUMNS } from "#contracts/http/events/event-columns.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { decodeColumns } from "../../support/packed/decode-columns.ts";
import type { BenchService } from "../bench-service.ts";
import { compare } from "../compare.ts";
import type { Result } from "../report.ts";
import type { SharedCatalogue } from "../shared-catalogues.ts";
import { secondsOf } from "../statistics.ts";

/** How they are sent, with how much longer than the COPY that may take, the client's part included. */
const CODINGS = [
  { name: "columns", coding: "identity", target: 2 },
  { name: "columns, compressed", coding: "zstd", target: 2.5 },
] as const;

/**
 * The columns that a map draws, of all events of a catalogue, against COPY of the same columns in its
 * binary format, both read to the end by this process.
 */
export async function benchColumns(
  { client, database, shared }: BenchService,
  count: number,
  repetitions: number,
): Promise<Result[]> {
  const catalogue = await shared.of(count);
  const results: Result[] = [];
  for (const { name, coding, target } of CODINGS) {
    const { header } = decodeColumns(Buffer.concat(await columnsOf(client, catalogue, coding)));
    assert.equal(header.count, count);
    const comparison = await compare(repetitions, async () => [
      await secondsOf(() => columnsOf(client, catalogue, coding)),
      await secondsOf(() => copyColumns(database, catalogue)),
    ]);
    results.push({
      case: name,
      size: `${count} events`,
      unit: "s",
      yardstick: "COPY of the same columns",
      ...comparison,
      target,
    });
  }
  return results;
}

async function columnsOf(
  client: ApiClient,
  { id }: SharedCatalogue,
  coding: string,
): Promise<Uint8Array[]> {
  const answer = await client.stream(`/api/catalogues/${id}/events/columns`, {
    "accept-encoding": coding,
  });
  if (answer.status !== 200) throw new Error(`columns answered ${answer.status}`);
  const pieces: Uint8Array[] = [];
  for await (const piece of answer.body ?? []) pieces.push(piece);
  return pieces;
}

async function copyColumns(database: Client, { key, version }: SharedCatalogue): Promise<void> {
  const columns = DEFAULT_COLUMNS.map((name) => (name === "id" ? "event_id" : name));
  const stream = database.query(
    copyTo(
      `copy (select ${columns} from read_model.seismic_events
             where catalogue_key = ${key} and revision_from <= ${version}
               and (revision_to is null or revision_to > ${version})
             order by time desc, event_id desc) to stdout (format binary)`,
    ),
  );
  let bytes = 0;
  for await (const piece of stream) bytes += (piece as Buffer).length;
  if (bytes === 0) throw new Error("nothing was copied");
}
