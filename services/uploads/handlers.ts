import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, zstdCompress } from "node:zlib";
import type { CommonQueryMethods } from "slonik";
import { z } from "zod";
import { invalid, Refusal } from "#contracts/errors.ts";
import {
  DELIMITERS,
  DelimiterName,
  MAX_SHOWN_ROWS,
  ReadingFields,
  type UploadResult,
} from "#contracts/http/uploads.ts";
import { meantName } from "#contracts/seismic-event/names.ts";
import { openedFile } from "#infra/files/opened-file.ts";
import { createSpool, type Spool } from "#infra/files/spool.ts";
import { extensionOf } from "#infra/formats/files/file-reader.ts";
import { validate } from "#infra/json/validation.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import {
  addPiece,
  beginUpload,
  dropUpload,
  finishUpload,
  type KeptUpload,
  secondsUntilPlace,
} from "#infra/stores/uploads.ts";
import { RateLimited } from "../errors.ts";
import type { FormPart, Handlers } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { IDEMPOTENCY_KEY, REPLAYED } from "../headers.ts";
import { type AnswerPlace, type AnswerScope, answerOver } from "../turns.ts";
import { type ParseDeps, parseUpload } from "./parser.ts";
import type { UploadEnd, UploadOptions } from "./worker.ts";

export function handlersOfUploads(deps: HandlerDeps) {
  const { pool, context } = deps;
  return {
    upload: async ({ body, query, command, key, scope, turn, asker }) => {
      const isKept = query.keep === "true";
      if (isKept) await requirePlace(pool, command.actor);
      const form = await readForm(inTurn(body, turn), scope, deps.maxUploadBytes);
      if (form === null) {
        throw new Refusal(
          "NO_FILE",
          "No file was provided: the form needs a file in its field file",
        );
      }
      const { file, ...options } = form;
      const withBulletins = query.include === "bulletin";
      if (isKept) {
        const id = context.newId();
        const keeper = await keepFile(pool, id, command.actor);
        scope.own(keeper.discard);
        const { end, empty, again, rows } = await readAndKeep(
          deps,
          { ...form, withBulletins },
          keeper,
          asker,
        );
        const { headers, members = [], rowCount } = end;
        const reading = { ...options, ...again };
        const earlier = await keeper.finish({ ...reading, headers, members, empty, rowCount }, key);
        if (earlier !== null && !earlier.isSame) {
          throw new Refusal("CONFLICT", `Another file was sent with this ${IDEMPOTENCY_KEY}`);
        }
        return {
          contentType: JSON_TYPE,
          headers: earlier === null ? {} : { [REPLAYED]: "true" },
          open: () => answer({ uploadId: earlier?.id ?? id, ...end }, [rows.rows()]),
        };
      }
      const { rows, end } = await parseUpload(
        deps,
        file,
        { ...options, withBulletins },
        asker,
        createSpool,
      );
      scope.own(rows.discard);
      requireRows(end);
      return { contentType: JSON_TYPE, open: () => answer(end, rows.read()) };
    },
  } satisfies Partial<Handlers>;
}

const FormFields = z.object({ delimiter: DelimiterName.default("auto"), ...ReadingFields.shape });

const TOO_MUCH_KEPT =
  "You keep as many uploads as one may; each is dropped a day after it was sent";

const JSON_TYPE = "application/json; charset=utf-8";

/** @throws RateLimited where the user keeps as much as one may */
async function requirePlace(pool: Parameters<typeof secondsUntilPlace>[0], owner: string) {
  const seconds = await secondsUntilPlace(pool, owner);
  if (seconds > 0) throw new RateLimited(seconds, TOO_MUCH_KEPT);
}

/** Keeps the file while it is parsed. @throws Refusal PARSE_ERROR for one without rows */
async function readAndKeep(
  deps: ParseDeps,
  { file, ...options }: UploadForm & Pick<UploadOptions, "withBulletins">,
  keeper: Awaited<ReturnType<typeof keepFile>>,
  asker: Asker,
) {
  let isKept = false;
  async function* read(): AsyncGenerator<Uint8Array> {
    const isFirst = !isKept;
    isKept = true;
    for await (const bytes of file.read({ stays: true })) {
      if (isFirst) await keeper.write(bytes);
      yield bytes;
    }
  }
  const openRows = () => {
    const first = firstRows();
    return {
      write: async (some: Uint8Array) => first.add(some),
      discard: async () => {},
      ...first,
    };
  };
  try {
    const both = { read, discard: file.discard };
    const parsed = await parseUpload(deps, both, options, asker, openRows);
    requireRows(parsed.end);
    return parsed;
  } catch (error) {
    // Before the answer: who is refused has kept nothing.
    await keeper.discard();
    throw error;
  }
}

/** The form's parts, in the upload's turn, which it takes only when the first bytes arrive. */
async function* inTurn(
  parts: AsyncIterable<FormPart>,
  turn: AnswerPlace["turn"],
): AsyncGenerator<FormPart> {
  let hasTurn = false;
  for await (const part of parts) {
    if (!hasTurn) await turn("uploads");
    hasTurn = true;
    yield part;
  }
}

type UploadForm = UploadOptions & { readonly file: Spool };

/**
 * Reads all parts of the form before the file is parsed, so that a slow client does not occupy a
 * worker thread. Null without a file. @throws Refusal VALIDATION_ERROR for a field that is there twice
 */
async function readForm(
  parts: AsyncIterable<FormPart>,
  scope: AnswerScope,
  maxBytes: number,
): Promise<UploadForm | null> {
  const fields: Record<string, string> = {};
  let file: Spool | null = null;
  let extension = "";
  let misspelt: Refusal | null = null;
  for await (const part of parts) {
    if (part.kind === "file" && part.name === "file") {
      if (file !== null) throw givenTwice(part.name);
      file = createSpool();
      scope.own(file.discard);
      const opened = await openedFile(part.fileName, part.bytes, maxBytes);
      extension = extensionOf(opened.name);
      await fill(file, opened.bytes);
    } else if (part.kind === "file") part.skip();
    else if (Object.hasOwn(FormFields.shape, part.name)) {
      if (Object.hasOwn(fields, part.name)) throw givenTwice(part.name);
      fields[part.name] = part.value;
    } else misspelt ??= meantField(part.name);
  }
  if (misspelt !== null) throw misspelt;
  const { delimiter, ...reading } = validate(FormFields, fields);
  return file && { file, extension, delimiter: DELIMITERS[delimiter], ...reading };
}

const givenTwice = (field: string) => invalid(field, "is in the form more than once");

/** The refusal of a field that is nearly one of ours; others are ignored, as members of bodies are. */
function meantField(name: string): Refusal | null {
  const meant = meantName(name, Object.keys(FormFields.shape));
  return meant === "" ? null : invalid(name, `is not known${meant}`);
}

/** @throws Refusal NO_FILE for an empty file */
async function fill(file: Spool, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  let isEmpty = true;
  for await (const piece of bytes) {
    isEmpty = false;
    await file.write(piece);
  }
  if (isEmpty) throw new Refusal("NO_FILE", "The file is empty");
}

/** @throws Refusal PARSE_ERROR with the errors as details; an empty catalogue has none */
function requireRows(end: UploadEnd): void {
  if (end.rowCount > 0 || end.errorCount === 0) return;
  throw new Refusal("PARSE_ERROR", "The file has no row that can be read", { details: end.errors });
}

async function* answer(
  end: Omit<UploadResult, "data">,
  rows: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"data":[');
  yield* rows;
  yield Buffer.from(`],${JSON.stringify(end).slice(1)}`);
}

/** In the JSON of a row there is no line end of its own. */
const BETWEEN_ROWS = Buffer.from(",\n");

/** Collects the bytes of the first rows, which have `,\n` between them. */
export function firstRows(limit = MAX_SHOWN_ROWS) {
  const taken: Uint8Array[] = [];
  let begun = 0;
  return {
    /** @param rows whole rows; after the first ones they begin with `,\n` */
    add(rows: Uint8Array): void {
      if (rows.length === 0 || begun === limit) return;
      const bytes = Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength);
      if (begun === 0) begun = 1;
      for (
        let at = bytes.indexOf(BETWEEN_ROWS);
        at >= 0;
        at = bytes.indexOf(BETWEEN_ROWS, at + 1)
      ) {
        if (begun === limit) {
          taken.push(Buffer.from(bytes.subarray(0, at)));
          return;
        }
        begun += 1;
      }
      taken.push(Buffer.from(bytes));
    },
    rows: (): Uint8Array => Buffer.concat(taken),
  };
}

type Pool = Pick<CommonQueryMethods, "query" | "maybeOne" | "maybeOneFirst">;

/** Files are stored in pieces of some such size, since large statements hold up others. */
const PIECE_BYTES = 1024 * 1024;
/** Fast: 1 MiB takes milliseconds. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

const compressed = promisify(zstdCompress);

/** Keeps a file for its owner, each piece by a statement of its own. */
export async function keepFile(pool: Pool, id: string, owner: string) {
  await beginUpload(pool, id, owner);
  const hash = createHash("sha256");
  let waiting: Uint8Array[] = [];
  let length = 0;
  let pieces = 0;
  let isFinished = false;
  let isDropped = false;
  /** The statement that runs. */
  let running: Promise<unknown> = Promise.resolve();

  async function flush(): Promise<void> {
    if (isDropped) throw answerOver();
    if (length === 0) return;
    const content = await compressed(Buffer.concat(waiting), FAST);
    if (isDropped) throw answerOver();
    waiting = [];
    length = 0;
    running = addPiece(pool, id, pieces, content);
    await running;
    pieces += 1;
  }

  return {
    /** @throws Refusal once it is discarded */
    async write(bytes: Uint8Array): Promise<void> {
      hash.update(bytes);
      waiting.push(bytes);
      length += bytes.length;
      if (length >= PIECE_BYTES) await flush();
    },
    /**
     * The upload can be used from now on; without this it is dropped by `discard`.
     * @param key of the request; null without one
     * @returns an earlier upload under that key, and whether it was of the same file; else null
     */
    async finish(end: Omit<KeptUpload, "pieces">, key: string | null) {
      await flush();
      const read = JSON.stringify([end.extension, end.delimiter, end.dateOrder, end.encoding]);
      const upload = { ...end, pieces };
      const uploadKey = key === null ? null : { key, hash: hash.update(read).digest() };
      const finishing = finishUpload(pool, id, upload, uploadKey);
      running = finishing;
      const earlier = await finishing;
      isFinished = earlier === null;
      return earlier;
    },
    async discard(): Promise<void> {
      isDropped = true;
      // A piece that comes after its upload was dropped would be a fault.
      await running.catch(() => {});
      if (!isFinished) await dropUpload(pool, id);
    },
  };
}
