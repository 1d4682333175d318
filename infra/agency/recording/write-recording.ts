import { createWriteStream } from "node:fs";
import { appendFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { trimEnd } from "../../kernel/trim-end.ts";
import type { Exchange, HttpAnswer } from "../http-exchange.ts";
import { bodyOf } from "./read-recording.ts";
import {
  KEPT_HEADERS,
  MANIFEST,
  type RecordedAnswer,
  type RecordingHead,
} from "./recording-format.ts";

/** The directory of a new recording holds something already. */
export class RecordingExists extends Error {
  override readonly name = "RecordingExists";
}

export type RecordingCounts = { readonly answers: number; readonly bytes: number };

export type RecordingWriter = {
  /** An exchange whose answers are written before their readers get them. */
  readonly record: (exchange: Exchange) => Exchange;
  readonly counts: () => RecordingCounts;
};

/** Begins a recording in a directory, which is made. @throws RecordingExists */
export async function createRecording(
  directory: string,
  agency: RecordingHead["agency"],
  now: () => Date = () => new Date(),
): Promise<RecordingWriter> {
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
    record: (exchange) => ({
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
