import type { MultipartFile } from "@fastify/multipart";
import multipart from "@fastify/multipart";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Refusal } from "#contracts/errors.ts";
import type { FilePart, FormPart } from "../http/handler.ts";

/** Generous size of other fields' names and values, of boundaries and part headers. */
const FORM_OVERHEAD_BYTES = 64 * 1024;
const MAX_FIELDS = 16;
const MAX_FILES = 4;
const MAX_FIELD_BYTES = 1024;

/**
 * Lets the routes of `app` accept forms with files; a body of another type is left unread and has no
 * parts. A body whose declared length exceeds any form's is refused before reading.
 */
export async function registerMultipart(app: FastifyInstance, maxFileBytes: number): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(multipart, {
    throwFileSizeLimit: false,
    limits: {
      fileSize: maxFileBytes,
      files: MAX_FILES,
      fields: MAX_FIELDS,
      fieldSize: MAX_FIELD_BYTES,
    },
  });
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  app.addHook("preParsing", async (request, reply) => {
    // A malformed content type counts as none.
    if (!request.mediaType) delete request.headers["content-type"];
    if (Number(request.headers["content-length"] ?? 0) <= maxFileBytes + FORM_OVERHEAD_BYTES)
      return;
    // The rest of the body will not be read.
    reply.header("connection", "close");
    throw new Refusal("FILE_TOO_LARGE");
  });
  app.addHook("onError", async ({ raw }) => {
    if (raw.complete) return;
    // For an abandoned form: its unread rest would block the connection's next request.
    raw.unpipe();
    raw.resume();
  });
}

/** The parts of a request's form; none for another body. @throws Refusal VALIDATION_ERROR */
export async function* formParts(request: FastifyRequest): AsyncGenerator<FormPart> {
  if (!request.isMultipart()) return;
  try {
    for await (const part of request.parts()) {
      if (part.type === "file") yield filePart(part);
      // A part without a name has none here either, whatever its type says.
      else yield { kind: "field", name: part.fieldname ?? "", value: String(part.value) };
    }
  } catch (cause) {
    throw malformed(cause);
  }
}

function filePart({ fieldname, filename, file }: MultipartFile): FilePart {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      yield* file;
    } catch (cause) {
      throw malformed(cause);
    }
    if (file.truncated) throw new Refusal("FILE_TOO_LARGE");
  }
  return {
    kind: "file",
    name: fieldname ?? "",
    fileName: filename ?? "",
    bytes: bytes(),
    skip: () => file.resume(),
  };
}

function malformed(cause: unknown): Refusal {
  if (cause instanceof Refusal) return cause;
  return new Refusal("VALIDATION_ERROR", "The body is not a complete multipart form", { cause });
}
