/**
 * Rows as PostgreSQL sends them (manual, "Message Formats", DataRow): the number of fields in two bytes, and
 * of each its length in four, -1 for null, and its text. pg makes a text of each field of every row,
 * which takes longer than all else it does for an answer of 50 events.
 */
import { EventEmitter } from "node:events";
import { type Client, Query, type QueryConfig } from "pg";
import type { TextRow } from "./text-copy.ts";

const DATA_ROW = "D".charCodeAt(0);
/** A code, and the length of what follows the code. */
const HEAD_BYTES = 5;
/** Where the first field of a row begins. */
export const RAW_FIELDS = 2;
/** Bytes of the length of a field. */
export const RAW_LENGTH = 4;

/** What pg is told of a row: other queries read its fields as ever. */
class RawRow {
  readonly name = "dataRow";
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get fields(): TextRow {
    return readRawRow(this.bytes);
  }
}

export function readRawRow(bytes: Buffer): TextRow {
  const fields: TextRow = [];
  for (let at = RAW_FIELDS; at < bytes.length; ) {
    const length = bytes.readInt32BE(at);
    at += RAW_LENGTH;
    const end = at + Math.max(0, length);
    fields.push(length === -1 ? null : bytes.toString("utf8", at, end));
    at = end;
  }
  return fields;
}

/** Hands over each row of a query on a client with raw rows as it arrives; emits `end` or `error`. */
export class RawRowsQuery extends Query {
  readonly #take: (row: Buffer) => void;

  /** @param take must not throw, nor keep the bytes */
  constructor(config: QueryConfig, take: (row: Buffer) => void) {
    super(config);
    this.#take = take;
  }

  /** What pg calls with the names and types of the fields. */
  handleRowDescription(): void {}

  /** What pg calls with each row. */
  handleDataRow({ bytes }: RawRow): void {
    this.#take(bytes);
  }
}

/**
 * Splits what a server sends into rows and all other messages, as they come.
 * @param onRow what the message of a row holds
 * @param onOthers whole messages, with their heads
 */
export function createRowSplitter(
  onRow: (bytes: Buffer) => void,
  onOthers: (bytes: Buffer) => void,
): (bytes: Buffer) => void {
  /** The beginning of a message, put together once it has come whole: a row may take megabytes. */
  let held: Buffer[] = [];
  let heldBytes = 0;
  let wantedBytes = HEAD_BYTES;
  return (arrived) => {
    held.push(arrived);
    heldBytes += arrived.length;
    if (heldBytes < wantedBytes) return;
    const bytes = held.length === 1 ? arrived : Buffer.concat(held);
    let others = 0;
    let at = 0;
    for (;;) {
      const left = bytes.length - at;
      wantedBytes = left < HEAD_BYTES ? HEAD_BYTES : 1 + bytes.readUInt32BE(at + 1);
      if (left < wantedBytes) break;
      const end = at + wantedBytes;
      if (bytes[at] === DATA_ROW) {
        if (others < at) onOthers(bytes.subarray(others, at));
        onRow(bytes.subarray(at + HEAD_BYTES, end));
        others = end;
      }
      at = end;
    }
    if (others < at) onOthers(bytes.subarray(others, at));
    held = at < bytes.length ? [bytes.subarray(at)] : [];
    heldBytes = bytes.length - at;
  };
}

type Emitter = Pick<EventEmitter, "on">;

/** What pg calls with the stream of messages once it is connected, and encrypted where it shall be. */
type Attaching = { attachListeners: (stream: Emitter) => void };

/** Lets a client that has not connected yet answer a RawRowsQuery. */
export function giveRawRows({ connection }: Client): void {
  const attaching = connection as typeof connection & Attaching;
  const attachToOthers = attaching.attachListeners.bind(connection);
  attaching.attachListeners = (stream) => {
    const others = new EventEmitter();
    attachToOthers(others);
    const split = createRowSplitter(
      (bytes) => connection.emit("dataRow", new RawRow(bytes)),
      (bytes) => others.emit("data", bytes),
    );
    stream.on("data", split);
    stream.on("end", () => others.emit("end"));
  };
}
