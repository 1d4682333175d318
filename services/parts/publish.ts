/**
 * Writes a catalogue's versions as files that engines read (contracts/http/parts.ts): a base, the changes since, a
 * manifest that names them. Files are named by their hash and never rewritten; the manifest is replaced last, so that
 * whatever happens it names files that are whole.
 */

import { createHash, randomUUID } from "node:crypto";
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
} from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { ClientBase } from "pg";
import type { FragmentSqlToken } from "slonik";
import { type Bounds, NO_BOUNDS } from "#contracts/events/catalogues.ts";
import {
  type BasePart,
  type ChangesPart,
  MANIFEST,
  PARTS,
  PartsManifest,
} from "#contracts/http/parts.ts";
import { microsToTime, POSTGRES_EPOCH_MICROS } from "#contracts/seismic-event/time.ts";
import {
  EVENTS_OF_BASE,
  EVENTS_OF_CHANGES,
  type EventTable,
} from "#infra/formats/columnar/batch.ts";
import { createParquetWriter } from "#infra/formats/columnar/parquet.ts";
import { FIELD } from "#infra/formats/format-writer.ts";
import { type BinaryRow, createBinaryRowReader } from "#infra/postgres/copy/copied.ts";
import { copyPieces } from "#infra/postgres/copy/copy-out.ts";
import { type Statements, statementsOn } from "#infra/postgres/statements.ts";
import {
  baseRows,
  changedRows,
  overviewRows,
  type PublishedVersion,
  recordedSince,
} from "#projections/read/exports.ts";

/** What there is to write for a version, and of how many rows. */
export type PartsPlan = {
  readonly before: PartsManifest | null;
  /** `head`: the manifest alone. */
  readonly what: "nothing" | "head" | "changes" | "base";
  readonly rows: number;
};

/** What is to be written for the files in a folder to be of a version. */
export async function planParts(
  statements: Pick<Statements, "one">,
  directory: string,
  latest: PublishedVersion,
): Promise<PartsPlan> {
  const before = await readManifest(directory);
  const base = { before, what: "base", rows: latest.eventCount } as const;
  if (before === null) return base;
  const { key, name, sha256, version } = latest;
  const published = { key, version: before.version };
  const { rows, isSame } = await recordedSince(statements, published, before.content_hash);
  if (!isSame) return base;
  if (before.version === version) {
    const isAsItWas = before.name === name && before.sha256 === sha256;
    return { before, what: isAsItWas ? "nothing" : "head", rows: 0 };
  }
  const isLarge = rowsOf(before.changes) + rows > PARTS.changesOfBase * rowsOf(before.base.files);
  return isLarge ? base : { before, what: "changes", rows };
}

const rowsOf = (parts: readonly { readonly rows: number }[]) =>
  parts.reduce((sum, { rows }) => sum + rows, 0);

/** The manifest of a folder; null where there is none that can be read. @throws errors of the disk */
export async function readManifest(directory: string): Promise<PartsManifest | null> {
  const text = await readFile(join(directory, MANIFEST), "utf8").catch(nullIfMissing);
  const json = text === null ? null : readJson(text);
  return PartsManifest.nullable().safeParse(json).data ?? null;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @throws errors other than that there is no such file */
export function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}

/** The rows differ from what the versions recorded: the catalogue was deleted meanwhile. */
class PartsInterrupted extends Error {
  override readonly name = "PartsInterrupted";

  constructor(rows: number, expected: number) {
    super(`${rows} of ${expected} rows of the parts were there`);
  }
}

/**
 * Makes the files in a folder those of a version.
 * @param client one connection, which has no other work meanwhile
 * @param signal ends it; what was written until then is removed after a day
 * @throws PartsInterrupted, errors of the disk
 */
export async function publishParts(
  client: ClientBase,
  directory: string,
  latest: PublishedVersion,
  signal?: AbortSignal,
): Promise<PartsManifest> {
  const plan = await planParts(statementsOn(client), directory, latest);
  const { before, what } = plan;
  if (before !== null && what === "nothing") return before;
  await mkdir(directory, { recursive: true });
  const place = { client, directory, signal };
  const { base, changes, overview } =
    before === null || what === "base"
      ? await writeBase(place, latest)
      : what === "changes"
        ? { ...before, changes: await withChanges(place, before, latest, plan.rows) }
        : before;
  const manifest: PartsManifest = {
    catalogue: latest.id,
    name: latest.name,
    version: latest.version,
    published_at: new Date().toISOString(),
    event_count: latest.eventCount,
    content_hash: latest.contentHash,
    sha256: latest.sha256,
    ...{ base, changes, overview },
  };
  await retire(directory, before, manifest);
  await replaceManifest(directory, manifest);
  await removeOld(directory, manifest);
  return manifest;
}

type Place = {
  readonly client: ClientBase;
  readonly directory: string;
  readonly signal: AbortSignal | undefined;
};

/** A base of a version, without changes. */
async function writeBase(place: Place, { key, version, eventCount }: PublishedVersion) {
  const files = await writeYears(place, baseRows({ key, version }));
  if (rowsOf(files) !== eventCount) throw new PartsInterrupted(rowsOf(files), eventCount);
  const overview = await writeOne(
    place,
    EVENTS_OF_BASE,
    overviewRows({ key, version }, PARTS.overviewRows),
    (sha256) => `overview/${sha256}.parquet`,
  );
  return { base: { version, files }, changes: [], overview: { version, ...overview } };
}

/** The changes of a folder with those up to a version, in as many files as there may be. */
async function withChanges(
  place: Place,
  before: PartsManifest,
  { key, version }: PublishedVersion,
  rows: number,
): Promise<ChangesPart[]> {
  const added = await writeChanges(place, key, { from: before.version, to: version, rows });
  const changes = [...before.changes, added];
  while (changes.length > PARTS.changesFiles) {
    const sums = changes.slice(1).map((after, i) => after.rows + (changes[i] as ChangesPart).rows);
    const least = sums.indexOf(Math.min(...sums));
    const [first, second] = changes.slice(least) as [ChangesPart, ChangesPart];
    const joined = { from: first.from, to: second.to, rows: first.rows + second.rows };
    changes.splice(least, 2, await writeChanges(place, key, joined));
  }
  return changes;
}

async function writeChanges(
  place: Place,
  key: number,
  { from, to, rows }: Pick<ChangesPart, "from" | "to" | "rows">,
): Promise<ChangesPart> {
  const query = changedRows(key, from, to);
  const name = (sha256: string) => `changes/${from}-${to}-${sha256}.parquet`;
  const part = await writeOne(place, EVENTS_OF_CHANGES, query, name);
  if (part.rows !== rows) throw new PartsInterrupted(part.rows, rows);
  return { from, to, ...part };
}

/** One file of all rows of a query. */
async function writeOne(
  place: Place,
  table: EventTable,
  query: FragmentSqlToken,
  nameOf: (sha256: string) => string,
) {
  const file = createPartFile(place.directory, table);
  try {
    await eachRow(place, table, query, file.add, file.flush);
    return await file.end(nameOf);
  } finally {
    await file.discard();
  }
}

/** Files of the years of rows in the order of time, several where a year has many. */
async function writeYears(place: Place, query: FragmentSqlToken): Promise<BasePart[]> {
  const parts: BasePart[] = [];
  const ended: YearFile[] = [];
  let file: YearFile | null = null;

  function add(row: BinaryRow): void {
    const time = microsOf(row);
    if (file === null || !file.takes(time)) {
      if (file !== null) ended.push(file);
      file = createYearFile(place.directory, row, time);
    }
    file.add(row, time);
  }

  async function flush(): Promise<void> {
    // One that cannot be ended stays in the list, to be discarded.
    for (let [one] = ended; one !== undefined; [one] = ended) {
      parts.push(await one.end());
      ended.shift();
    }
    await file?.flush();
  }

  try {
    await eachRow(place, EVENTS_OF_BASE, query, add, flush);
    if (file !== null) ended.push(file);
    file = null;
    await flush();
    return parts;
  } finally {
    for (const one of [...ended, file as YearFile | null]) await one?.discard();
  }
}

type YearFile = ReturnType<typeof createYearFile>;

/** A file of events of the year of a row, with their bounds; times in microseconds since 1970. */
function createYearFile(directory: string, first: BinaryRow, firstTime: bigint) {
  const year = new Date(Number(firstTime / 1_000n)).getUTCFullYear();
  const [since, until] = [startOf(year), startOf(year + 1)];
  const file = createPartFile(directory, EVENTS_OF_BASE);
  const bounds = { ...NO_BOUNDS };
  const startTime = microsToTime(firstTime, digitsOf(first));
  let [endTime, endDigits] = [firstTime, digitsOf(first)];

  function extend(
    name: "latitude" | "longitude" | "magnitude",
    { view, starts, lengths }: BinaryRow,
  ) {
    if ((lengths[FIELD[name]] as number) < 0) return;
    const value = view.getFloat64(starts[FIELD[name]] as number);
    const [least, greatest] = [bounds[`min_${name}`], bounds[`max_${name}`]];
    if (least === null || value < least) bounds[`min_${name}`] = value;
    if (greatest === null || value > greatest) bounds[`max_${name}`] = value;
  }

  return {
    takes: (time: bigint) => file.rows() < PARTS.fileRows && time >= since && time < until,
    add(row: BinaryRow, time: bigint): void {
      extend("latitude", row);
      extend("longitude", row);
      extend("magnitude", row);
      endTime = time;
      endDigits = digitsOf(row);
      file.add(row);
    },
    flush: file.flush,
    async end(): Promise<BasePart> {
      const folder = `base/year=${String(year).padStart(4, "0")}`;
      const part = await file.end((sha256) => `${folder}/${sha256}.parquet`);
      const times = { start_time: startTime, end_time: microsToTime(endTime, endDigits) };
      return { ...part, year, bounds: { ...bounds, ...times } satisfies Bounds };
    },
    discard: file.discard,
  };
}

/** Microseconds since 1970 of the first moment of a year, which `Date.UTC` takes for one of 1900 on below 100. */
function startOf(year: number): bigint {
  return BigInt(new Date(0).setUTCFullYear(year, 0, 1)) * 1_000n;
}

/** Microseconds since 1970. */
function microsOf({ view, starts }: BinaryRow): bigint {
  return view.getBigInt64(starts[FIELD.time] as number) + POSTGRES_EPOCH_MICROS;
}

/** Where a row of the base has the digits of its time. */
const TIME_DIGITS = EVENTS_OF_BASE.layout.columns.findIndex(({ name }) => name === "time_digits");

function digitsOf({ view, starts }: BinaryRow): number {
  return view.getInt32(starts[TIME_DIGITS] as number);
}

/** Passes each row of a query to `take`; `flush` follows some of them. */
async function eachRow(
  { client, signal }: Place,
  { layout }: EventTable,
  query: FragmentSqlToken,
  take: (row: BinaryRow) => void,
  flush: () => Promise<void>,
): Promise<void> {
  const reader = createBinaryRowReader(layout.columns.length);
  for await (const bytes of copyPieces(client, query, signal, "binary")) {
    reader.read(bytes, take);
    await flush();
  }
  reader.end();
}

/** A file that is being written, under a name of its own until it is whole. */
function createPartFile(directory: string, table: EventTable) {
  const writer = createParquetWriter([], 0, table.layout, PARTS.groupRows);
  const batch = table.createBatch(PARTS.groupRows);
  const hash = createHash("sha256");
  const temporary = join(directory, `.${randomUUID()}`);
  /** Opened when something is written first. */
  let handle: FileHandle | null = null;
  let pieces = [writer.begin()];
  let rows = 0;
  let bytes = 0;

  function writeGroup(): void {
    if (batch.length > 0) pieces.push(writer.batch(batch));
    batch.clear();
  }

  async function flush(): Promise<void> {
    if (pieces.length === 0) return;
    handle ??= await open(temporary, "wx");
    const written = pieces;
    pieces = [];
    for (const piece of written) {
      hash.update(piece);
      bytes += piece.length;
      await handle.appendFile(piece);
    }
  }

  async function close(): Promise<void> {
    await handle?.close();
    handle = null;
  }

  return {
    rows: () => rows,
    add(row: BinaryRow): void {
      batch.add(row);
      rows += 1;
      if (batch.isFull()) writeGroup();
    },
    flush,
    /** Writes its end, and gives it its name. */
    async end(nameOf: (sha256: string) => string) {
      writeGroup();
      pieces.push(writer.end());
      await flush();
      await handle?.sync();
      await close();
      const sha256 = hash.digest("hex");
      const path = nameOf(sha256);
      const target = join(directory, path);
      await mkdir(dirname(target), { recursive: true });
      // One that is there stays as it is, for those who compare times too.
      if ((await stat(target).catch(nullIfMissing)) === null) await rename(temporary, target);
      await synchronise(dirname(target));
      return { path, rows, bytes, sha256 };
    },
    /** Closes it, and removes what has no name yet. */
    async discard(): Promise<void> {
      await close();
      await rm(temporary, { force: true });
    },
  };
}

/** Names in a folder last also when the machine stops. */
async function synchronise(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The paths that a manifest names. */
export function namesIn({ base, changes, overview }: PartsManifest): Set<string> {
  return new Set([...base.files, ...changes, overview].map(({ path }) => path));
}

/** Files that are named no longer are kept for a day, from now on. */
async function retire(
  directory: string,
  before: PartsManifest | null,
  after: PartsManifest,
): Promise<void> {
  if (before === null) return;
  const now = new Date();
  for (const path of namesIn(before).difference(namesIn(after))) {
    await utimes(join(directory, path), now, now).catch(nullIfMissing);
  }
}

async function replaceManifest(directory: string, manifest: PartsManifest): Promise<void> {
  const temporary = join(directory, `.${randomUUID()}`);
  const handle = await open(temporary, "wx");
  try {
    await handle.writeFile(`${JSON.stringify(manifest)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, join(directory, MANIFEST));
  await synchronise(directory);
}

/** Removes what no manifest of the last day has named, and what was cut off while it was written. */
async function removeOld(directory: string, manifest: PartsManifest): Promise<void> {
  const named = namesIn(manifest).add(MANIFEST);
  const since = Date.now() - PARTS.keptMs;
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || named.has(relative(directory, path))) continue;
    const { mtimeMs } = await stat(path);
    if (mtimeMs < since) await rm(path, { force: true });
  }
}

/** Removes all parts in a folder, the manifest first. */
export async function removeParts(directory: string): Promise<void> {
  await rm(join(directory, MANIFEST), { force: true });
  await rm(directory, { recursive: true, force: true });
}
