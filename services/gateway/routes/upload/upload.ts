import { Readable } from "node:stream";
import { z } from "zod";
import { ApiError } from "#contracts/errors.ts";
import type { Operations } from "#contracts/http/operations.ts";
import { DELIMITERS, DelimiterName, type UploadResult } from "#contracts/http/upload.ts";
import { extensionOf } from "#infra/formats/detect-format.ts";
import type { Delimiter } from "#infra/formats/file-reader.ts";
import type { Handler } from "../../handler.ts";
import type { FilePart, FormPart } from "../../plugins/multipart.ts";
import type { ParsedUpload, UploadParser } from "../../upload/upload-parser.ts";
import { validate } from "../../validate.ts";

const DelimiterField = z.object({ delimiter: DelimiterName });

export type UploadDeps = { readonly uploads: UploadParser };

export function uploadHandler({ uploads }: UploadDeps): Handler<Operations["upload"]> {
  return async ({ body }) => {
    const parsed = await parseForm(uploads, body);
    if (parsed === null) throw new ApiError("NO_FILE");
    const result = await readableResult(parsed);
    return {
      contentType: "application/json; charset=utf-8",
      open: async () => Readable.from(answer(parsed, result), { objectMode: false }),
    };
  };
}

/** The form's parts in their order; null when no file is among them. */
async function parseForm(
  uploads: UploadParser,
  parts: AsyncIterable<FormPart>,
): Promise<ParsedUpload | null> {
  let delimiter: Delimiter = "auto";
  let parsed: ParsedUpload | null = null;
  try {
    for await (const part of parts) {
      if (part.kind === "file" && part.name === "file" && parsed === null) {
        parsed = await parseFile(uploads, part, delimiter);
      } else if (part.kind === "file") part.skip();
      else if (part.name === "delimiter") {
        delimiter = delimiterOf(part.value, parsed !== null);
      }
    }
    return parsed;
  } catch (error) {
    await parsed?.rows.discard();
    throw error;
  }
}

function delimiterOf(value: string, late: boolean): Delimiter {
  const { delimiter: name } = validate(DelimiterField, { delimiter: value });
  if (late && name !== "auto") {
    throw new ApiError("VALIDATION_ERROR", "delimiter: has to come before the file in the form");
  }
  return DELIMITERS[name];
}

async function parseFile(
  uploads: UploadParser,
  { fileName, bytes }: FilePart,
  delimiter: Delimiter,
): Promise<ParsedUpload> {
  let isEmpty = true;
  async function* content(): AsyncGenerator<Uint8Array> {
    for await (const piece of bytes) {
      isEmpty = false;
      yield piece;
    }
    if (isEmpty) throw new ApiError("NO_FILE", "The file is empty");
  }
  return uploads.parse(content(), { extension: extensionOf(fileName), delimiter });
}

/** @throws ApiError UNSUPPORTED_FORMAT, PARSE_ERROR with the errors as details */
async function readableResult({ end, rows }: ParsedUpload): Promise<Omit<UploadResult, "data">> {
  if (end.outcome === "read" && end.result.rowCount > 0) return end.result;
  await rows.discard();
  if (end.outcome === "unsupported") {
    throw new ApiError("UNSUPPORTED_FORMAT", `The file format is not supported: ${end.reason}`);
  }
  throw new ApiError("PARSE_ERROR", "The file has no row that can be read", {
    details: end.result.errors,
  });
}

async function* answer(
  { rows }: ParsedUpload,
  result: Omit<UploadResult, "data">,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"data":[');
  yield* rows.read();
  yield Buffer.from(`],${JSON.stringify(result).slice(1)}`);
}
