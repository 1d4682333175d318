import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { MANIFEST, RecordedAnswer, RecordingHead } from "./recording-format.ts";

/** A directory is no recording, or a damaged one; the message says where. */
export class UnreadableRecording extends Error {
  override readonly name = "UnreadableRecording";
}

export type Recording = {
  readonly head: RecordingHead;
  readonly answers: readonly RecordedAnswer[];
  readonly directory: string;
};

/** @throws UnreadableRecording */
export async function readRecording(directory: string): Promise<Recording> {
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
