/** A recording of an agency: its form, and how it is written and read. */

import { createReadStream, createWriteStream } from "node:fs";
import { appendFile, mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { z } from "zod";
import { SERVICE_DIALECTS } from "#contracts/events/imports.ts";
import { trimEnd } from "../../kernel/texts.ts";
import type { Exchange, HttpAnswer } from "../http/exchange.ts";

/** In a recording's directory: its first line is the head, each further line one answer, in the order in which they ended. */
const MANIFEST = "manifest.jsonl";

const RecordingHead = z.object({
  recording: z.literal(1),
  agency: z.object({
    name: z.string(),
    url: z.string(),
    dialect: z.enum(SERVICE_DIALECTS),
  }),
  /** When it was begun, ISO 8601 UTC. */
  at: z.string(),
});
type RecordingHead = z.infer<typeof RecordingHead>;

/** Those that clients go by, beside encoding and length. */
const KEPT_HEADERS = [
  "content-type",
  "retry-after",
  "etag",
  "last-modified",
  "cache-control",
  "location",
] as const;

export const RecordedAnswer = z.object({
  /** The method with its query, below the agency's address: `query?starttime=…`. */
  request: z.string(),
  status: z.int(),
  headers: z.partialRecord(z.enum(KEPT_HEADERS), z.string()),
  /** Its body, gzip, beside the manifest. */
  file: z.string().regex(/^[\w.-]+$/),
  /** Of the body as it was read. */
  bytes: z.int().nonnegative(),
  /** Why the body ended early; null for a whole one. */
  broken: z.string().nullable(),
  at: z.string(),
});
export type RecordedAnswer = z.infer<typeof RecordedAnswer>;

/** A directory is no recording, or a damaged one; the message says where. */
export class UnreadableRecording extends Error {
  override readonly name = "UnreadableRecording";
}

export type Recording = Awaited<ReturnType<typeof readRecording>>;

/** @throws UnreadableRecording */
export async function readRecording(directory: string) {
  const text = await readFile(join(directory, MANIFEST), "utf8").catch((cause) => {
    const message = `${directory} is no recording of an agency: it has no ${MANIFEST}`;
    throw new UnreadableRecording(message, { cause });
  });
  const [first = "", ...lines] = text.trimEnd().split("\n");
  const parse = <T>(
    schema: { readonly parse: (value: unknown) => T },
    line: string,
    n: number,
  ): T => {
    try {
      return schema.parse(JSON.parse(line));
    } catch (cause) {
      throw new UnreadableRecording(`${MANIFEST} of ${directory} is damaged in line ${n}`, {
        cause,
      });
    }
  };
  return {
    head: parse(RecordingHead, first, 1),
    answers: lines.map((line, i) => parse(RecordedAnswer, line, i + 2)),
    directory,
  };
}

/** The bytes of a recorded body. */
export function bodyOf(
  { directory }: Pick<Recording, "directory">,
  { file }: Pick<RecordedAnswer, "file">,
): Readable {
  return createReadStream(join(directory, file)).pipe(createGunzip());
}

/** The directory of a new recording holds something already. */
export class RecordingExists extends Error {
  override readonly name = "RecordingExists";
}

/** Begins a recording in a directory, which is made. @throws RecordingExists */
export async function createRecording(
  directory: string,
  agency: RecordingHead["agency"],
  now: () => Date = () => new Date(),
) {
  await mkdir(directory, { recursive: true });
  if ((await readdir(directory)).length > 0) {
    throw new RecordingExists(
      `${directory} is not empty: a recording needs a directory of its own`,
    );
  }
  const manifest = join(directory, MANIFEST);
  const note = (line: RecordingHead | RecordedAnswer) =>
    appendFile(manifest, `${JSON.stringify(line)}\n`);
  await note({ recording: 1, agency, at: now().toISOString() });
  let answers = 0;
  let bytes = 0;

  /** Writes a body whole, however much of it its reader will want. @throws what the body throws */
  async function keep(url: URL, answer: HttpAnswer): Promise<string> {
    answers += 1;
    const at = now().toISOString();
    const file = `${String(answers).padStart(4, "0")}.gz`;
    let length = 0;
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of answer.body) {
        length += chunk.length;
        yield chunk;
      }
    };
    let broken: unknown = null;
    const kept = endingWhereItBreaks(counted(), (error) => {
      broken = error;
    });
    await pipeline(kept, createGzip(), createWriteStream(join(directory, file)));
    bytes += length;
    await note({
      request: requestBelow(agency.url, url),
      status: answer.status,
      headers: keptHeaders(answer),
      file,
      bytes: length,
      broken: broken === null ? null : String(broken),
      at,
    });
    if (broken !== null) throw broken;
    return file;
  }

  return {
    /** An exchange whose answers are written before their readers get them. */
    record: (exchange: Exchange): Exchange => ({
      ...exchange,
      get: (url, signal, take, ...more) =>
        exchange.get(
          url,
          signal,
          async (answer) => {
            const file = await keep(url, answer);
            return take({ ...answer, body: bodyOf({ directory }, { file }) });
          },
          ...more,
        ),
    }),
    counts: () => ({ answers, bytes }),
  };
}

/** The chunks up to the first error, which is told. */
async function* endingWhereItBreaks(
  chunks: AsyncIterable<Uint8Array>,
  tell: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    tell(error);
  }
}

function requestBelow(base: string, { pathname, search }: URL): string {
  const below = `${trimEnd(new URL(base).pathname, "/")}/`;
  return (pathname.startsWith(below) ? pathname.slice(below.length) : pathname) + search;
}

function keptHeaders({ headers }: HttpAnswer): RecordedAnswer["headers"] {
  const given = KEPT_HEADERS.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}
