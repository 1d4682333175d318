import { createHash } from "node:crypto";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TextDecoder } from "node:util";
import { isJsonObject, type JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { createElementScanner } from "#infra/formats/json/scanner.ts";
import { canonicalJson } from "#infra/json/json-text.ts";

/** The file is no JSON export. */
export class NoExport extends Error {
  override readonly name = "NoExport";
}

export type HashedExport = { readonly sha256: string; readonly count: number };

/** Where an event's canonical line is in the temporary file, in bytes. */
type Line = { readonly id: string; readonly offset: number; readonly length: number };

/**
 * The SHA-256 (hex) of the canonical form of a JSON export, and the number of its events. The lines wait in
 * a temporary file until all ids are known.
 * @throws NoExport
 */
export async function hashExport(bytes: AsyncIterable<Uint8Array>): Promise<HashedExport> {
  const directory = await mkdtemp(join(tmpdir(), "hash-"));
  const file = await open(join(directory, "lines"), "wx+");
  try {
    const lines = await writeLines(file, bytes);
    lines.sort((a, b) => (a.id < b.id ? -1 : 1));
    const hash = createHash("sha256");
    for (const { offset, length } of lines) {
      const { buffer } = await file.read(Buffer.alloc(length), 0, length, offset);
      hash.update(buffer);
    }
    return { sha256: hash.digest("hex"), count: lines.length };
  } finally {
    await file.close();
    await rm(directory, { recursive: true });
  }
}

async function writeLines(file: FileHandle, bytes: AsyncIterable<Uint8Array>): Promise<Line[]> {
  const lines: Line[] = [];
  let end = 0;
  for await (const events of exportedEvents(bytes)) {
    const texts = events.map(({ id, text }) => ({ id, line: Buffer.from(`${text}\n`) }));
    for (const { id, line } of texts) {
      lines.push({ id, offset: end, length: line.length });
      end += line.length;
    }
    await file.writev(texts.map(({ line }) => line));
  }
  return lines;
}

type CanonicalEvent = { readonly id: string; readonly text: string };

/** @throws NoExport */
async function* exportedEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<CanonicalEvent[]> {
  let events: CanonicalEvent[] = [];
  let isExport = false;
  const scanner = createElementScanner({
    list: (place) => {
      isExport ||= place === "events";
    },
    element: (text, line) => void events.push(canonicalEvent(text, line)),
    error: (line, message) => {
      throw new NoExport(`line ${line} ${message}`);
    },
    warning: () => undefined,
  });
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const piece of bytes) {
    scanner.write(decoder.decode(piece, { stream: true }));
    if (events.length > 0) yield events;
    events = [];
  }
  scanner.write(decoder.decode());
  scanner.end();
  if (events.length > 0) yield events;
  if (!isExport) throw new NoExport("there is no list of events, as a JSON export has one");
}

function canonicalEvent(text: string, line: number): CanonicalEvent {
  let event: JsonValue = null;
  try {
    event = JSON.parse(text);
  } catch {
    // Refused below.
  }
  const id = isJsonObject(event) ? event["id"] : undefined;
  if (!isJsonObject(event) || typeof id !== "string")
    throw new NoExport(`line ${line} is no event of a JSON export`);
  // A bulletin itself, which an export has on request, stands for its hash.
  const { bulletin: _, ...hashed } = event;
  return { id, text: canonicalJson(hashed) };
}
