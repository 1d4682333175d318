import { createHash } from "node:crypto";
import { constants, zstdCompressSync } from "node:zlib";
import type { Logger } from "pino";
import { SaxesParser } from "saxes";
import { Refusal } from "#contracts/errors.ts";
import type { ServiceDialect } from "#contracts/events/imports.ts";
import { openedFile } from "../files/opened-file.ts";
import { createFileDecoder, extensionOf } from "../formats/files/file-reader.ts";
import { createRequestSlots, type RequestSlots } from "../kernel/fair-queue.ts";
import { trimEnd } from "../kernel/texts.ts";
import { readAnswer } from "./answer.ts";
import { type AddressRules, createAddressGuard } from "./http/address-guard.ts";
import {
  AgencyError,
  beginningBytes,
  beginningOf,
  type CircuitBreaker,
  createExchange,
  type Exchange,
  type HttpAnswer,
  type RetryOptions,
  refusalIn,
  type Validators,
  validatorsOf,
  withRetries,
} from "./http/exchange.ts";
import {
  type AgencyQuery,
  type AnswerForm,
  type AnswerFormat,
  answerForm,
  dialectOf,
  listingForm,
  listsUpdates,
  type QuerySpan,
  takesUpdatedAfter,
  usualCap,
} from "./query.ts";
import {
  type AgencyBatch,
  type Ask,
  createAnswerCap,
  createSuspiciousReader,
  createWindowReader,
  type WindowReader,
  walkWindows,
} from "./windows.ts";

/** How an agency is asked. */
type AgencyOptions = {
  /** Base URL of the FDSN event service: `…/fdsnws/event/1`; or the file's address. */
  readonly url: string;
  /** The agency's name, as people read it. */
  readonly name: string;
  /** Where its address, and redirects within its host, may lead; absent: to its address alone, wherever that is. */
  readonly addresses?: AddressRules;
  /** Every request goes through the breaker; `isAgencyFailure` decides which errors it counts. */
  readonly breaker: Pick<CircuitBreaker, "run">;
  /** Longest silence, in milliseconds; a whole answer may take 30 times as long. Default 30 s. */
  readonly timeoutMs?: number;
  /** Retries of a failed request. Default 3. */
  readonly retries?: number;
  /** Wait before the first retry. Default 1 s. */
  readonly backoffMs?: number;
  /** Name and version of the service. */
  readonly userAgent: string;
};

export type AgencyClientOptions = AgencyOptions & {
  /** How the service differs from others; by default what its host speaks. */
  readonly dialect?: ServiceDialect | undefined;
  readonly logger?: Logger;
  /** An answer with this many events is taken to be cut off by the agency's limit. By default the dialect's. */
  readonly cap?: number | undefined;
  /** Limits concurrent requests over all imports. Default two at a time. */
  readonly slots?: RequestSlots;
  /** What stands between the client and the agency: a recorder. */
  readonly through?: (exchange: Exchange) => Exchange;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly sleep?: RetryOptions["sleep"];
};

const SECOND = 1_000;

export type AgencyClient = ReturnType<typeof createAgencyClient>;

/** A client of an FDSN event service (`contracts/seismic-event/README.md`). */
export function createAgencyClient(options: AgencyClientOptions) {
  const { url, name, breaker, now = Date.now, slots = createRequestSlots(2) } = options;
  const dialect = options.dialect ?? dialectOf(url);
  const cap = createAnswerCap(options.cap ?? usualCap(dialect));
  const { through = (direct) => direct } = options;
  const exchange = through(exchangeWith(options));

  const send = <T>(
    target: URL,
    signal: AbortSignal,
    take: (answer: HttpAnswer) => Promise<T>,
  ): Promise<T> => slots.run(() => breaker.run(() => exchange.get(target, signal, take)), signal);

  const askFor =
    (format: AnswerFormat): Ask =>
    (target, signal) => {
      const read = (answer: HttpAnswer) =>
        readAnswer(answer, { name, format, cap: cap.now(), now });
      return withRetries(() => send(target, signal, read), signal, options);
    };

  let description: ReturnType<typeof readDescription> | null = null;
  /** Without a description only what every service knows is asked for; requests for events meet its faults. */
  const describedTo = (signal: AbortSignal) => () => {
    description ??= send(descriptionUrl(url), signal, readDescription).catch(() => {
      signal.throwIfAborted();
      return new Set<string>();
    });
    return description;
  };

  function readerOf(query: AgencyQuery, form: AnswerForm): WindowReader {
    return createSuspiciousReader(createWindowReader(url, query, form, askFor(form.format)), cap);
  }

  /**
   * The agency's events that match a query, for spans of its window, one after the other; each window by window in
   * order of time, and within a window in the agency's own order. An event comes twice only if the agency moves it
   * to another window meanwhile; the later batch then has its later form. What the agency has refused to give in one
   * span is not asked for in the next.
   *
   * Leaving the loop ends the running requests.
   * @throws CircuitOpen at once; AgencyUnavailable, AgencyTimeout when the retries are used up;
   * AgencyError for a refusal, for an answer that cannot be read to its end, and when one second
   * holds more events than the agency returns; RangeError for a query with invalid times; the
   * signal's reason
   */
  function spansOf(query: AgencyQuery, { signal }: { readonly signal: AbortSignal }) {
    let reader: WindowReader | null = null;
    return async function* eventsOf(span: QuerySpan): AsyncGenerator<AgencyBatch> {
      reader ??= readerOf(query, await answerForm(dialect, query.detail, describedTo(signal)));
      yield* walkWindows(span, reader, { name, cap: cap.now, signal });
    };
  }

  return {
    spansOf,
    /** The same for the whole of the query's window. */
    fetchEvents: (query: AgencyQuery, asked: { readonly signal: AbortSignal }) =>
      spansOf(query, asked)(query),
    /**
     * The same in the lightest form in which a change of an event shows.
     * @param asked `expected`: events in the query's window, where an earlier listing told
     */
    listEvents: (
      query: AgencyQuery,
      asked: { readonly signal: AbortSignal; readonly expected?: number | undefined },
    ) =>
      walkWindows(query, readerOf(query, listingForm(dialect)), { name, cap: cap.now, ...asked }),
    /** Whether `updatedAfter` can be asked for. */
    takesUpdatedAfter: (signal: AbortSignal) => takesUpdatedAfter(dialect, describedTo(signal)),
    /** What a listing is good for. */
    listing: {
      /** It has the time of each event's last change: no change escapes it. */
      showsUpdates: listsUpdates(dialect),
      /** It has all that is asked for with this detail. */
      isAll: (detail: AgencyQuery["detail"]) =>
        detail === "summary" && listingForm(dialect).format !== "geojson",
    },
    /** Closes the idle connections. */
    close: exchange.close,
  };
}

function exchangeWith({ name, userAgent, addresses, timeoutMs = 30 * SECOND }: AgencyOptions) {
  const guard = addresses ? createAddressGuard(addresses) : null;
  return createExchange({ name, userAgent, timeoutMs, guard });
}

/** Descriptions have some 5 kB; of a longer answer the beginning is read. */
const DESCRIPTION_BYTES = 256 * 1024;

/** The description that the FDSN event service requires (1.1, p. 4). */
export function descriptionUrl(base: string): URL {
  return new URL(`${trimEnd(base, "/")}/application.wadl`);
}

/**
 * The names of all parameters in a service's description, lower case: up to the first fault of an answer
 * that is no XML or ends early, none where there is no description.
 */
export async function readDescription(answer: HttpAnswer): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  if (answer.status !== 200) return names;
  const bytes = await beginningBytes(answer, DESCRIPTION_BYTES);
  const parser = new SaxesParser();
  let isFaulty = false;
  parser.on("error", () => {
    isFaulty = true;
  });
  parser.on("opentag", ({ name, attributes }) => {
    if (isFaulty || !/^(?:\w+:)?param$/.test(name)) return;
    const { name: parameter } = attributes;
    if (typeof parameter === "string") names.add(parameter.toLowerCase());
  });
  const decoder = createFileDecoder(bytes);
  parser.write(decoder.write(bytes).text);
  return names;
}

export type AgencyFileOptions = AgencyOptions & {
  /** Limit of the file, compressed or not. */
  readonly maxBytes: number;
};

/** By what a file is known when it is asked for again. */
export type FileMarks = Validators & {
  /** SHA-256 of its bytes as they came, hexadecimal. */
  readonly sha256: string;
};

const PIECE_BYTES = 1024 * 1024;
/** Fast: 1 MiB takes milliseconds. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/**
 * Reads the file at an agency's address, as it was before it was compressed: null where it is as it was known.
 * @param known of its last reading; null asks for it whatever it is
 * @throws as requests of `AgencyClient`; AgencyError for a file beyond the limit or whose compression is broken
 */
export async function readAgencyFile(
  options: AgencyFileOptions,
  known: FileMarks | null,
  signal: AbortSignal,
) {
  const { url, name, breaker } = options;
  const exchange = exchangeWith(options);
  const take = async (answer: HttpAnswer) => {
    if (answer.status === 304 && known !== null) return null;
    if (answer.status !== 200) {
      throw refusalIn(answer, await beginningOf(answer), { name, now: Date.now });
    }
    const file = await stage(answer, options);
    return file.marks.sha256 === known?.sha256 ? null : file;
  };
  const ask = () => breaker.run(() => exchange.get(new URL(url), signal, take, known ?? undefined));
  try {
    return await withRetries(ask, signal, options);
  } finally {
    exchange.close();
  }
}

async function stage({ headers, body }: HttpAnswer, { url, name, maxBytes }: AgencyFileOptions) {
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
    const fileName = new URL(url).pathname.split("/").at(-1) ?? "";
    const opened = await openedFile(fileName, asItCame(), maxBytes);
    const pieces = await compressedPieces(opened.bytes);
    const marks = { ...validatorsOf(headers), sha256: hash.digest("hex") };
    return {
      marks: marks satisfies FileMarks,
      /** Of its name, in an archive too; lower case, "" where there is none. */
      extension: extensionOf(opened.name),
      /** Its bytes in pieces of about 1 MiB, each compressed by zstd. */
      pieces,
    };
  } catch (error) {
    // Of what comes compressed, the decompression fails with the connection.
    const { cause } = (broken as { readonly cause: unknown } | null) ?? { cause: error };
    if (!(cause instanceof Refusal)) throw cause;
    if (cause.code !== "FILE_TOO_LARGE") throw new AgencyError(`${name}: ${cause.message}`);
    throw new AgencyError(`${name}'s file is larger than ${maxBytes / 1024 ** 2} MB`);
  }
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
