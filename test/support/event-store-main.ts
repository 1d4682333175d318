/** The program of test/support/eventstore/event-store-process.ts: starts, and says where in one line. */

import {
  closeSync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { crc32 } from "node:zlib";
import { type Change, createEventStore } from "./eventstore/event-store.ts";
import { type EventStoreServer, startEventStoreServer } from "./eventstore/event-store-server.ts";

/** A server that keeps what it acknowledges in `directory`, or only in memory without one. */
async function startStoredServer(
  port: number,
  directory: string | null,
): Promise<EventStoreServer> {
  if (directory === null) return startEventStoreServer({ port });
  let write: (change: Change) => void = () => {};
  const store = createEventStore({ commit: (change) => write(change) });
  ({ write } = openJournal(directory, store.apply));
  return startEventStoreServer({ port, store });
}

type Journal = {
  /** Is on the disk when it returns. */
  write(change: Change): void;
  close(): void;
};

const HEADER_BYTES = 8;

/**
 * A file of changes in `directory`: length, CRC-32 and content of each. What a crash has cut off at
 * its end was never acknowledged, and is cut away.
 * @param replay is given what the file holds
 */
function openJournal(directory: string, replay: (change: Change) => void): Journal {
  const path = join(directory, "events.journal");
  const file = openSync(path, "a+");
  const content = readFileSync(path);
  let end = 0;
  for (let frame = frameAt(content, 0); frame !== null; frame = frameAt(content, end)) {
    replay(deserialize(frame));
    end += HEADER_BYTES + frame.length;
  }
  ftruncateSync(file, end);
  return {
    write(change) {
      const body = serialize(change);
      const header = Buffer.alloc(HEADER_BYTES);
      header.writeUInt32BE(body.length, 0);
      header.writeUInt32BE(crc32(body), 4);
      writeSync(file, Buffer.concat([header, body]));
      fdatasyncSync(file);
    },
    close: () => closeSync(file),
  };
}

function frameAt(content: Buffer, start: number): Buffer | null {
  if (content.length < start + HEADER_BYTES) return null;
  const body = start + HEADER_BYTES;
  const frame = content.subarray(body, body + content.readUInt32BE(start));
  const isWhole = frame.length === content.readUInt32BE(start) && frame.length > 0;
  return isWhole && crc32(frame) === content.readUInt32BE(start + 4) ? frame : null;
}

const [port = "0", directory] = process.argv.slice(2);
const server = await startStoredServer(Number(port), directory ?? null);
process.stdout.write(`${JSON.stringify({ url: server.url, port: server.port })}\n`);
