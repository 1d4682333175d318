/**
 * Reads a file over and over in a thread of its own, as the service does: what another parser has
 * made of the process does not count. Posts the seconds of each pass; the first warms up.
 */
import { parentPort, workerData } from "node:worker_threads";
import { parse } from "csv-parse/sync";
import { SaxesParser } from "saxes";
import { createFileReader } from "#infra/formats/files/file-reader.ts";
import { atOnce } from "#infra/kernel/iteration.ts";

/** What reads: the service's reader, or the bare parser below it, which makes nothing of what it cuts. */
export type FileReading = "service" | "csv-parse" | "saxes";

export type ReadTask = {
  readonly reading: FileReading;
  readonly file: Uint8Array;
  readonly count: number;
  readonly passes: number;
};

const PIECE_BYTES = 64 * 1024;

const READINGS: Readonly<Record<FileReading, (file: Buffer, count: number) => void>> = {
  service: readAll,
  "csv-parse": (file) => {
    parse(file);
  },
  saxes: bareSaxes,
};

function readAll(file: Buffer, count: number): void {
  let rows = 0;
  const fail = (line: number, message: string): never => {
    throw new Error(`line ${line}: ${message}`);
  };
  const sink = { row: () => (rows += 1), error: fail, warning: fail };
  const reader = createFileReader(sink, { extension: "", delimiter: "auto" });
  for (const piece of piecesOf(file)) reader.write(piece);
  atOnce(reader.end());
  if (rows !== count) throw new Error(`${rows} rows of ${count} were read`);
}

function bareSaxes(file: Buffer): void {
  const parser = new SaxesParser({ xmlns: false, position: false });
  const decoder = new TextDecoder();
  for (const piece of piecesOf(file)) parser.write(decoder.decode(piece, { stream: true }));
  parser.close();
}

function* piecesOf(file: Buffer): Generator<Buffer> {
  for (let at = 0; at < file.length; at += PIECE_BYTES) yield file.subarray(at, at + PIECE_BYTES);
}

const { reading, file, count, passes }: ReadTask = workerData;
const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
const seconds = Array.from({ length: passes + 1 }, () => {
  const start = performance.now();
  READINGS[reading](bytes, count);
  return (performance.now() - start) / 1000;
});
parentPort?.postMessage(seconds.slice(1));
