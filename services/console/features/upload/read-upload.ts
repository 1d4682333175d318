import type { ColumnTarget } from "#contracts/seismic-event/columns.ts";
import { meaningOf } from "#contracts/seismic-event/names.ts";
import {
  TIME_PART_NAMES,
  type TimePart,
  timePartNames,
  timePartOf,
} from "#contracts/seismic-event/written-times.ts";
import { DAY_MS, MIB } from "#contracts/units.ts";
import { type AnswerOf, addressOf, CallError, settle } from "../../api/call.ts";
import { csvOfMembers } from "../../ui/text/files.ts";

const UPLOAD = "POST /api/upload";
export type Upload = AnswerOf<typeof UPLOAD>;
type Problem = Upload["errors"][number];

/** How a file is to be read, by the names of the form's fields; what is empty the service finds out. */
export type ReadSettings = {
  readonly delimiter: string;
  readonly dateOrder: string;
  /** A label of the WHATWG Encoding Standard. */
  readonly encoding: string;
};

/** A file that has been read: JSON, so that a reload finds it again while the service keeps its rows. */
export type Reading = {
  readonly fileName: string;
  readonly fileBytes: number;
  readonly upload: Upload;
  /** The lines that the report is about, by their numbers. */
  readonly rows: readonly (readonly [line: number, text: string])[];
  readonly readAt: number;
};

type ReadOptions = {
  readonly settings: ReadSettings;
  readonly signal: AbortSignal;
  /** Told while the file is sent, and at its end, when the service begins to work on it. */
  readonly onProgress: (bytes: SentBytes) => void;
};

/** Of a line that the report shows: some files are one line. */
const MAX_LINE = 2_000;

/**
 * Has the service read a file and keep its rows for a day; nothing is created.
 * @throws CallError
 */
export async function readFile(file: File, options: ReadOptions): Promise<Reading> {
  const form = new FormData();
  // A part that comes before the file is known when the file is read.
  for (const [name, value] of Object.entries(options.settings)) {
    if (value !== "") form.append(name, value);
  }
  form.append("file", file, file.name);
  const upload: Upload = await (await sendFile(form, options)).json();
  const rows = await linesOf(file, upload, options.settings.encoding);
  options.signal.throwIfAborted();
  return { fileName: file.name, fileBytes: file.size, upload, rows, readAt: Date.now() };
}

/** Until when the service has the rows, which it keeps for a day. */
export function keptUntil({ readAt }: Reading): string {
  return new Date(readAt + DAY_MS).toISOString();
}

/** None where the file cannot be read again. */
async function linesOf(
  file: File,
  { errors, warnings }: Upload,
  encoding: string,
): Promise<Reading["rows"]> {
  const wanted = new Set([...errors, ...warnings].map(({ line }) => line));
  // One more tells that there is more.
  const lines = await pickLines(textOf(file, encoding), wanted, MAX_LINE + 1).catch(() => []);
  return [...lines].map(([line, text]) => [
    line,
    text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}…` : text,
  ]);
}

/** Why a file without a readable row could not be read, line by line. */
export function problemsOf(error: unknown): Problem[] {
  if (!(error instanceof CallError)) return [];
  const { details } = (error.body ?? {}) as { readonly details?: unknown };
  if (!Array.isArray(details)) return [];
  return details.filter((one) => typeof one?.line === "number" && typeof one.message === "string");
}

export type ReportLine = Problem & {
  readonly kind: "unreadable" | "note";
  /** The line as it stands in the file; null where it is not known. */
  readonly row: string | null;
};

/** What is wrong or doubtful, in the order of the file. */
export function reportLines(
  { errors, warnings }: Pick<Upload, "errors" | "warnings">,
  rows: ReadonlyMap<number, string>,
): readonly ReportLine[] {
  const lines = (kind: ReportLine["kind"], problems: readonly Problem[]) =>
    problems.map((one): ReportLine => ({ ...one, kind, row: rows.get(one.line) ?? null }));
  return [...lines("unreadable", errors), ...lines("note", warnings)].toSorted(
    (a, b) => a.line - b.line,
  );
}

export function reportCsv(lines: readonly ReportLine[]): string {
  return csvOfMembers(lines, ["line", "kind", "message", "row"]);
}

/** Ends a line; a carriage return at the end of a piece waits for what follows it. */
const BREAK = /\r\n|\n|\r(?!$)/g;

/**
 * Some lines of a text that comes in pieces, by their numbers from 1, cut after so many characters. Reads
 * no further than the last that is wanted, each piece once, and holds no more of the text than the lines.
 */
export async function pickLines(
  pieces: AsyncIterable<string> | Iterable<string>,
  wanted: ReadonlySet<number>,
  longest: number,
): Promise<ReadonlyMap<number, string>> {
  const lines = new Map<number, string>();
  const last = Math.max(0, ...wanted);
  let number = 1;
  const take = (text: string) => {
    const line = lines.get(number) ?? "";
    if (wanted.has(number)) lines.set(number, line + text.slice(0, longest - line.length));
  };
  take("");
  let isReturned = false;
  for await (const piece of pieces) {
    const text: string = isReturned ? `\r${piece}` : piece;
    isReturned = text.endsWith("\r");
    let start = 0;
    for (const { index, 0: ending } of text.matchAll(BREAK)) {
      take(text.slice(start, index));
      start = index + ending.length;
      number += 1;
      if (number > last) return lines;
    }
    take(text.slice(start, isReturned ? -1 : undefined));
  }
  if (isReturned) {
    number += 1;
    take("");
  }
  return lines;
}

/** The text of a file in pieces; where no encoding is named UTF-16 by its mark, all else as UTF-8. */
async function* textOf(file: Blob, named: string): AsyncGenerator<string> {
  const mark = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const encoding = named || markedEncoding(mark);
  const reader = file.stream().pipeThrough(new TextDecoderStream(encoding)).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}

function markedEncoding([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return "utf-8";
}

const KIB = 1024;

/** "3.6 MiB", "12 KiB": rounded up, so that what is too large never looks as if it were not. */
export function fileSize(bytes: number): string {
  if (bytes < KIB) return `${bytes} bytes`;
  if (bytes < MIB) return `${Math.ceil(bytes / KIB)} KiB`;
  return `${Math.ceil((bytes / MIB) * 10) / 10} MiB`;
}

/** Why a file of this size is not sent; nothing where it is, or where the limit is not known. */
export function sizeProblem(bytes: number, maxBytes: number | undefined): string | undefined {
  if (bytes === 0) return "This file is empty.";
  if (maxBytes === undefined || bytes <= maxBytes) return undefined;
  return `This file has ${fileSize(bytes)}. The largest that can be uploaded has ${fileSize(maxBytes)}.`;
}

export type SentBytes = { readonly sent: number; readonly total: number };

const WITHOUT_BODY = [204, 205, 304];

/**
 * As `send`, telling how much of the form has been sent: `fetch` cannot.
 * @throws CallError; the signal's reason
 */
function sendFile(form: FormData, { signal, onProgress }: ReadOptions): Promise<Response> {
  const request = new XMLHttpRequest();
  const answer = new Promise<Response>((resolve, reject) => {
    signal.throwIfAborted();
    request.open("POST", addressOf(UPLOAD, { query: { keep: true } }));
    request.setRequestHeader("accept", "application/json");
    request.responseType = "arraybuffer";
    request.upload.onprogress = ({ loaded, total }) => onProgress({ sent: loaded, total });
    request.upload.onload = ({ total }) => onProgress({ sent: total, total });
    request.onload = () => resolve(responseOf(request));
    request.onerror = () => reject(new TypeError("The connection failed"));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(form);
  });
  return settle(UPLOAD, answer, signal);
}

function responseOf(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const { status, response } = request;
  return new Response(WITHOUT_BODY.includes(status) ? null : response, { status, headers });
}

/** What columns are read as, where their names are not to decide; null: left out. */
export type ColumnChoice = Readonly<Record<string, ColumnTarget | null>>;

/** What the service takes a column for by its name; null where it only keeps it. */
export function meaningOfColumn(name: string): string | null {
  return meaningOf(name)?.field ?? timePartOf(name);
}

/** The choice as the service takes it: a column whose name another was chosen to have is left out. */
export function columnsOf(choice: ColumnChoice, headers: readonly string[]): ColumnChoice {
  const chosen = new Set<string | null>(Object.values(choice));
  const hidden = headers.filter((name) => chosen.has(name) && !Object.hasOwn(choice, name));
  return { ...choice, ...Object.fromEntries(hidden.map((name) => [name, null])) };
}

/** What a column is read as, chosen or by its name; null where it is only kept, or left out. */
export function readAs(
  name: string,
  choice: ColumnChoice,
  headers: readonly string[],
): string | null {
  const read = columnsOf(choice, headers);
  return Object.hasOwn(read, name) ? (read[name] ?? null) : meaningOfColumn(name);
}

/**
 * How many rows have no magnitude, where columns are read as chosen. Of several columns with one it
 * is not known which rows they leave empty together, but not more than any of them leaves.
 */
export function withoutMagnitude(
  { headers, rowCount, emptyCounts }: Pick<Upload, "headers" | "rowCount" | "emptyCounts">,
  choice: ColumnChoice,
): { readonly rows: number; readonly isExact: boolean } {
  const names = headers.filter((name) => readAs(name, choice, headers) === "magnitude");
  const rows = Math.min(rowCount, ...names.map((name) => emptyCounts[name] ?? 0));
  return { rows, isExact: names.length < 2 || rows === 0 };
}

/** What has to be there for rows to become events, and no column gives. */
export function missingColumns(
  headers: readonly string[],
  choice: ColumnChoice,
): readonly string[] {
  const read = headers.map((name) => readAs(name, choice, headers));
  const hasTime =
    read.includes("time") || read.includes("date") || hasDate(headers, columnsOf(choice, headers));
  const missing = ["latitude", "longitude"].filter((name) => !read.includes(name));
  return hasTime ? missing : ["time", ...missing];
}

/** Whether the parts of a time are a date at least: year, month and day. */
function hasDate(headers: readonly string[], choice: ColumnChoice): boolean {
  const chosen = new Map<TimePart, string>();
  for (const name of headers) {
    const part = TIME_PART_NAMES.find((one) => one === choice[name]);
    if (part !== undefined) chosen.set(part, name);
  }
  const byName = headers.filter((name) => !Object.hasOwn(choice, name));
  return timePartNames(byName, chosen) !== null;
}
