import { createHash } from "node:crypto";
import { constants, zstdCompressSync } from "node:zlib";
import { Refusal } from "#contracts/errors.ts";
import { openedFile } from "../../files/opened-file.ts";
import { extensionOf } from "../../formats/files/detect-format.ts";
import { sleep } from "../../kernel/backoff.ts";
import type { AgencyClientOptions } from "../agency-client.ts";
import { AgencyError } from "../errors.ts";
import { createAddressGuard } from "../guard/address-guard.ts";
import {
  createExchange,
  type HttpAnswer,
  type Validators,
  validatorsOf,
} from "../http-exchange.ts";
import { beginningOf, refusalIn } from "../refused-answer.ts";
import { withRetries } from "../with-retries.ts";

export type AgencyFileOptions = Pick<
  AgencyClientOptions,
  "url" | "name" | "addresses" | "breaker" | "userAgent"
> &
  Required<Pick<AgencyClientOptions, "timeoutMs" | "retries">> &
  Pick<AgencyClientOptions, "backoffMs"> & {
    /** Limit of the file, compressed or not. */
    readonly maxBytes: number;
  };

/** By what a file is known when it is asked for again. */
export type FileMarks = Validators & {
  /** SHA-256 of its bytes as they came, hexadecimal. */
  readonly sha256: string;
};

/** A file of an agency as it was before it was compressed. */
export type AgencyFile = {
  readonly marks: FileMarks;
  /** Of its name, in an archive too; lower case, "" where there is none. */
  readonly extension: string;
  /** Its bytes in pieces of about 1 MiB, each compressed by zstd. */
  readonly pieces: readonly Buffer[];
};

const SECOND = 1_000;
const PIECE_BYTES = 1024 * 1024;
/** Fast: 1 MiB takes milliseconds. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/**
 * Reads the file at an agency's address: null where it is as it was known. It is held compressed.
 * @param known of its last reading; null asks for it whatever it is
 * @throws as requests of `AgencyClient`; AgencyError for a file beyond the limit or whose compression is broken
 */
export async function readAgencyFile(
  options: AgencyFileOptions,
  known: FileMarks | null,
  signal: AbortSignal,
): Promise<AgencyFile | null> {
  const { url, name, addresses, breaker, userAgent, timeoutMs, retries } = options;
  const guard = addresses ? createAddressGuard(addresses) : null;
  const exchange = createExchange({ name, userAgent, timeoutMs, guard });
  const take = async (answer: HttpAnswer): Promise<AgencyFile | null> => {
    if (answer.status === 304 && known !== null) return null;
    if (answer.status !== 200) {
      throw refusalIn(answer, await beginningOf(answer), { name, now: Date.now });
    }
    const file = await stage(answer, options);
    return file.marks.sha256 === known?.sha256 ? null : file;
  };
  const ask = () => breaker.run(() => exchange.get(new URL(url), signal, take, known ?? undefined));
  try {
    const { backoffMs = SECOND } = options;
    return await withRetries(ask, signal, { retries, backoffMs, sleep, logger: null });
  } finally {
    exchange.close();
  }
}

async function stage(
  { headers, body }: HttpAnswer,
  { url, name, maxBytes }: Pick<AgencyFileOptions, "url" | "name" | "maxBytes">,
): Promise<AgencyFile> {
  const hash = createHash("sha256");
  let broken: { readonly cause: unknown } | null = null;
  async function* asItCame(): AsyncGenerator<Uint8Array> {
    let length = 0;
    try {
      for await (const bytes of body) {
        length += bytes.length;
        if (length > maxBytes) throw new Refusal("FILE_TOO_LARGE");
        hash.update(bytes);
        yield bytes;
      }
    } catch (cause) {
      broken = { cause };
      throw cause;
    }
  }
  try {
    const opened = await openedFile(nameOf(url), asItCame(), maxBytes);
    const pieces = await compressedPieces(opened.bytes);
    const marks = { ...validatorsOf(headers), sha256: hash.digest("hex") };
    return { marks, extension: extensionOf(opened.name), pieces };
  } catch (error) {
    // Of what comes compressed, the decompression fails with the connection.
    const { cause } = (broken as { readonly cause: unknown } | null) ?? { cause: error };
    if (!(cause instanceof Refusal)) throw cause;
    if (cause.code !== "FILE_TOO_LARGE") throw new AgencyError(`${name}: ${cause.message}`);
    throw new AgencyError(`${name}'s file is larger than ${maxBytes / 1024 ** 2} MB`);
  }
}

/** The last part of an address's path. */
function nameOf(url: string): string {
  return new URL(url).pathname.split("/").at(-1) ?? "";
}

async function compressedPieces(bytes: AsyncIterable<Uint8Array>): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  let waiting: Uint8Array[] = [];
  let length = 0;
  const close = (): void => {
    if (length > 0) pieces.push(zstdCompressSync(Buffer.concat(waiting), FAST));
    waiting = [];
    length = 0;
  };
  for await (const some of bytes) {
    waiting.push(some);
    length += some.length;
    if (length >= PIECE_BYTES) close();
  }
  close();
  return pieces;
}
