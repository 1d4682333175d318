import { CallError } from "../../api/call-error.ts";
import { type SentBytes, sendForm } from "../../api/send-form.ts";
import type { AnswerOf } from "../../model/operation-types.ts";
import { pickLines, textOf } from "./file-lines.ts";

export type Upload = AnswerOf<"POST /api/upload">;
export type Problem = Upload["errors"][number];

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
  readonly onProgress: (bytes: SentBytes) => void;
};

/** So long the service keeps rows. */
const KEPT_MS = 24 * 3_600_000;
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
  const response = await sendForm("POST /api/upload", { query: { keep: true } }, form, options);
  const upload: Upload = await response.json();
  const rows = await linesOf(file, upload, options.settings.encoding);
  options.signal.throwIfAborted();
  return { fileName: file.name, fileBytes: file.size, upload, rows, readAt: Date.now() };
}

/** Until when the service has the rows. */
export function keptUntil({ readAt }: Reading): string {
  return new Date(readAt + KEPT_MS).toISOString();
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
export function problemsOf(error: unknown): readonly Problem[] {
  if (!(error instanceof CallError)) return [];
  const { details } = (error.body ?? {}) as { readonly details?: unknown };
  if (!Array.isArray(details)) return [];
  return details.filter((one) => typeof one?.line === "number" && typeof one.message === "string");
}
