import { send } from "../../api/call.ts";
import { CallError } from "../../api/call-error.ts";
import type { AnswerOf } from "../../api/operation-types.ts";

export type Upload = AnswerOf<"POST /api/upload">;
export type Problem = Upload["errors"][number];

export const DELIMITERS = ["auto", "comma", "tab", "semicolon", "pipe", "space"] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/**
 * Has the service read a file and keep its rows for a day; nothing is created.
 * @throws CallError
 */
export async function readUpload(
  file: File,
  delimiter: Delimiter,
  signal: AbortSignal,
): Promise<Upload> {
  const form = new FormData();
  // A part that comes before the file is known when the file is read.
  form.append("delimiter", delimiter);
  form.append("file", file, file.name);
  const response = await send(
    "POST /api/upload",
    { query: { keep: true }, body: form },
    { signal },
  );
  return response.json();
}

/** Why a file without a readable row could not be read, line by line. */
export function problemsOf(error: unknown): readonly Problem[] {
  if (!(error instanceof CallError)) return [];
  const { details } = (error.body ?? {}) as { readonly details?: unknown };
  if (!Array.isArray(details)) return [];
  return details.filter((one) => typeof one?.line === "number" && typeof one.message === "string");
}
