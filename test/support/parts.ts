import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import canonicalize from "canonicalize";
import { PartsManifest } from "#contracts/http/parts.ts";
import { ATTRIBUTE_NAMES, STRUCTURED_NAMES } from "#contracts/seismic-event/attributes.ts";
import { microsToTime } from "#contracts/seismic-event/time.ts";
import { readParquet } from "./columnar.ts";

type PartRow = Readonly<Record<string, unknown>>;

export async function manifestOf(folder: string): Promise<PartsManifest> {
  return PartsManifest.parse(JSON.parse(await readFile(join(folder, "manifest.json"), "utf8")));
}

/** The rows of some parts of a folder. @throws Error where one is not what its entry in the manifest says */
export async function rowsOf(
  folder: string,
  parts: readonly Pick<PartsManifest["overview"], "path" | "sha256" | "bytes" | "rows">[],
): Promise<PartRow[]> {
  const all: PartRow[] = [];
  for (const { path, sha256, bytes, rows } of parts) {
    const file = await readFile(join(folder, path));
    const hash = createHash("sha256").update(file).digest("hex");
    const read = (await readParquet(file)).rows;
    const told = `${hash} ${file.length} ${read.length}`;
    if (told !== `${sha256} ${bytes} ${rows}`) throw new Error(`${path} is ${told}`);
    all.push(...read);
  }
  return all;
}

/** The events of a version, as the rule of the manifest makes them of base and changes. */
export async function eventsAt(
  folder: string,
  manifest: PartsManifest,
  version: number,
): Promise<PartRow[]> {
  const events = new Map(
    (await rowsOf(folder, manifest.base.files)).map((row) => [row["id"], row]),
  );
  const changes = await rowsOf(folder, manifest.changes);
  const upTo = changes.filter((row) => (row["version"] as number) <= version);
  for (const row of upTo.toSorted((a, b) => (a["version"] as number) - (b["version"] as number))) {
    if (row["change"] === "removed") events.delete(row["id"]);
    else events.set(row["id"], row);
  }
  return [...events.values()];
}

/** The SHA-256 of the canonical form (`contracts/docs/versions.md`) of events that parts have. */
export function hashOfParts(events: readonly PartRow[]): string {
  const hash = createHash("sha256");
  const idOf = (row: PartRow) => row["id"] as string;
  for (const row of events.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1))) {
    hash.update(`${canonicalize(asExported(row))}\n`);
  }
  return hash.digest("hex");
}

function asExported(row: PartRow): PartRow {
  const time = microsToTime(row["time"] as bigint, row["time_digits"] as number);
  const event: Record<string, unknown> = { id: row["id"], time };
  for (const name of [...ATTRIBUTE_NAMES, ...STRUCTURED_NAMES]) event[name] = row[name] ?? null;
  if (event["source_events"] === null) delete event["source_events"];
  if (row["bulletin_sha256"]) event["bulletin_sha256"] = row["bulletin_sha256"];
  return event;
}
