/** Hashes of versions, and of the exports that should have them. */

import { createHash } from "node:crypto";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TextDecoder } from "node:util";
import type { ClientBase, Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { isJsonObject, type JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { createElementScanner } from "#infra/formats/json/scanner.ts";
import { canonicalLine } from "#infra/formats/json/writer.ts";
import { canonicalJson } from "#infra/json/json-text.ts";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { allRememberedHashes } from "#infra/stores/version-hashes.ts";
import { toExportRow } from "#projections/read/copied-rows.ts";
import { rowsInOrderOfIds } from "#projections/read/exports.ts";
import type { VersionRows } from "#projections/read/versions.ts";

export type HashVerification = Awaited<ReturnType<typeof verifyHashes>>;

/** Computes every remembered hash of a version again. */
export async function verifyHashes(pool: Pool, signal: AbortSignal) {
  const client = await pool.connect();
  const wrong = [];
  let checked = 0;
  /** Of versions that are there no more: of deleted catalogues, or from before a restore. */
  let gone = 0;
  try {
    const statements = statementsOn(client);
    for (const remembered of await allRememberedHashes(statements)) {
      signal.throwIfAborted();
      const { catalogueId, version, contentHash, sha256 } = remembered;
      const catalogue = await statements.maybeOne(sql.type(z.object({ key: z.int() }))`
        select c.key from read_model.catalogues c
        join read_model.catalogue_versions v on v.catalogue_key = c.key
        where c.id = ${catalogueId}::uuid and v.version = ${version}
          and v.content_hash = ${contentHash}`);
      if (catalogue === null) {
        gone += 1;
        continue;
      }
      checked += 1;
      const rows = { id: catalogueId, key: catalogue.key, version };
      const { sha256: computed } = await hashVersionRows(client, rows);
      if (computed !== sha256) wrong.push({ catalogueId, version, remembered: sha256, computed });
    }
    return { checked, gone, wrong };
  } finally {
    client.release();
  }
}

/** SHA-256 in hex, and the number of events. */
export type HashedVersion = { readonly sha256: string; readonly count: number };

/** The SHA-256 (hex) of a version's canonical form, and the number of its events. */
export async function hashVersionRows(
  client: ClientBase,
  version: VersionRows,
): Promise<HashedVersion> {
  const hash = createHash("sha256");
  let count = 0;
  for await (const rows of copyRows(client, rowsInOrderOfIds(version))) {
    let text = "";
    for (const row of rows) text += canonicalLine(toExportRow(row));
    hash.update(text);
    count += rows.length;
  }
  return { sha256: hash.digest("hex"), count };
}

/** The file is no JSON export. */
export class NoExport extends Error {
  override readonly name = "NoExport";
}

/** Where an event's canonical line is in the temporary file, in bytes. */
type Line = { readonly id: string; readonly offset: number; readonly length: number };

/**
 * The SHA-256 (hex) of the canonical form of a JSON export, and the number of its events. The lines wait in
 * a temporary file until all ids are known.
 * @throws NoExport
 */
export async function hashExport(bytes: AsyncIterable<Uint8Array>): Promise<HashedVersion> {
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
