import { createHash } from "node:crypto";
import type { ClientBase } from "pg";
import { canonicalLine } from "#infra/formats/json/writer.ts";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import { toExportRow } from "#projections/read/copied-rows.ts";
import { rowsInOrderOfIds } from "#projections/read/exports.ts";
import type { VersionRows } from "#projections/read/versions.ts";

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
