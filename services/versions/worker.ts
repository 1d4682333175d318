/** Entry point of the threads that restore and hash versions: a million events must not block other requests. */

import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { type ChangeCounts, createChunkWriter } from "#infra/log/chunks.ts";
import { openThreadSession } from "#infra/postgres/connection.ts";
import type { TextRow } from "#infra/postgres/copy/copied.ts";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import { workerStream, workerTask } from "#infra/threads/task.ts";
import {
  createRecordReader,
  EVENT_COLUMN_COUNT,
  EVENT_COLUMN_NAMES,
  readKeptBulletin,
} from "#projections/read/copied-rows.ts";
import { changedRowsWithBulletins, type VersionPair } from "#projections/read/differences.ts";
import type { VersionRows } from "#projections/read/versions.ts";
import { CHUNKS_AHEAD, type Chunk } from "../changes/revision-changes.ts";
import { hashVersionRows } from "./hashes.ts";

type RestoreTask = {
  /** From the latest version to the one that is restored. */
  readonly pair: VersionPair;
};

const recordOf: (row: TextRow) => SeismicEventRecord = createRecordReader(EVENT_COLUMN_NAMES);

/** The changes that make the one version the other, as the chunks of a revision. */
export const streamRestored = workerStream(restored, CHUNKS_AHEAD);

async function* restored({ pair }: RestoreTask): AsyncGenerator<Chunk, ChangeCounts> {
  await using session = await openThreadSession("restore");
  const { client } = session;
  const writer = createChunkWriter();
  for await (const rows of copyRows(client, changedRowsWithBulletins(pair))) {
    for (const row of rows) {
      const chunk = writeChange(writer, row);
      if (chunk !== null) yield { chunk };
    }
  }
  const chunk = writer.finish();
  if (chunk !== null) yield { chunk };
  return writer.counts();
}

/** @param row the event as restored, followed by the event as it is, and the bulletin as restored */
function writeChange(writer: ReturnType<typeof createChunkWriter>, row: TextRow) {
  const [restoredId, presentId] = [row[0], row[EVENT_COLUMN_COUNT]];
  if (typeof restoredId !== "string") return writer.remove(presentId as string);
  const record = recordOf(row);
  const bulletin = readKeptBulletin(row, 2 * EVENT_COLUMN_COUNT);
  return typeof presentId === "string"
    ? writer.update(restoredId, record, bulletin)
    : writer.restore(restoredId, record, bulletin);
}

export const hashVersion = workerTask(async (version: VersionRows) => {
  await using session = await openThreadSession("hash");
  const { client } = session;
  return await hashVersionRows(client, version);
});
