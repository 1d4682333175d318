import { constants, fstatSync, openSync, writeSync } from "node:fs";
import type { Writable } from "node:stream";
import { isatty } from "node:tty";
import { type DestinationStream, type LevelWithSilent, type Logger, pino } from "pino";
import { prettyFactory } from "pino-pretty";
import { isJsonObject } from "#contracts/seismic-event/seismic-event.ts";

const CENSOR = "[redacted]";

/** Endings of secret field names, compared without case, `_` and `-`. */
const SECRET_NAME =
  /(?:password|passwordhash|secret|token|authorization|cookies?|apikey|privatekey)$/;

/** `?token=…` and the like in URLs, anywhere in a text. */
const SECRET_PARAMETER = /([?&][^?=&#\s]*(?:token|password|secret|key|code)=)[^&#\s"]*/gi;

/** `scheme://user:password@host`. */
const URL_CREDENTIALS = /(:\/\/[^/?#\s:@]*):[^/?#\s@]*@/g;

/** Secrets of access tokens (`infra/vault/tokens.ts`). */
const TOKEN_SECRETS = /\beqc_\w+/g;

/** Deeper than any intended log field; also ends cycles. */
const MAX_DEPTH = 8;

function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.toLowerCase().replaceAll(/[_-]/g, ""));
}

/** Replaces secrets in a text: those in its URLs, and those of access tokens. */
function redactText(text: string): string {
  return text
    .replace(SECRET_PARAMETER, `$1${CENSOR}`)
    .replace(URL_CREDENTIALS, `$1:${CENSOR}@`)
    .replace(TOKEN_SECRETS, CENSOR);
}

/** Plain objects, and pino's serialised errors: everything without a class. */
function isPlainObject(value: object): value is Record<string, unknown> {
  const prototype = Object.getPrototypeOf(value) as { constructor?: unknown } | null;
  return prototype === null || prototype.constructor === Object;
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return redactText(value);
  if (value === null || typeof value !== "object") return value;
  if (value instanceof URL) return redactText(value.href);
  if (depth === MAX_DEPTH) return "[too deep]";
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  // Errors, requests and other instances go to the logger's serializers.
  return isPlainObject(value) ? redactFields(value, depth + 1) : value;
}

/** Copies fields without secrets, at any depth: those of secret names, and those in texts. */
function redactFields(fields: Record<string, unknown>, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      isSecretName(name) && value !== undefined && value !== null
        ? CENSOR
        : redactValue(value, depth),
    ]),
  );
}

/** Fields of database errors that quote rows and values. */
const QUOTED = new Set(["detail", "where", "values", "row", "query", "internalQuery"]);

/** A serialised error and its causes, without the fields in which databases quote data. */
function withoutRows(error: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields = Object.entries(error).filter(([name]) => !QUOTED.has(name));
  return Object.fromEntries(
    fields.map(([name, value]) => {
      if (name === "cause" && isJsonObject(value)) return [name, withoutRows(value)];
      if (name !== "aggregateErrors" || !Array.isArray(value)) return [name, value];
      return [name, value.map((one: unknown) => (isJsonObject(one) ? withoutRows(one) : one))];
    }),
  );
}

export type { Logger } from "pino";

/** The logged part of a request: no headers and no body. */
function serializeRequest(request: { id?: unknown; method?: string; url?: string; ip?: string }) {
  const { id, method, url, ip } = request;
  return { id, method, url: url === undefined ? undefined : redactText(url), ip };
}

/** Drops the error's own fields, which may hold secrets such as the headers of a failed request. */
function serializeError(error: Error): object {
  return redactFields(withoutRows({ ...pino.stdSerializers.errWithCause(error) }));
}

function prettyStream(destination: DestinationStream): DestinationStream {
  const format = prettyFactory({ colorize: true, singleLine: true, ignore: "pid,hostname" });
  return { write: (line) => destination.write(format(line)) };
}

/**
 * The root of all loggers; `subsystemLogger` makes the logger of a subsystem. Lines are a constant
 * message plus fields, in which secrets are replaced. Bindings of child loggers are not redacted:
 * they name a subsystem or a request and hold no data.
 */
export function createLogger({
  level,
  pretty,
  destination,
}: {
  readonly level: LevelWithSilent;
  /** Readable lines instead of JSON; for terminals. */
  readonly pretty: boolean;
  readonly destination: DestinationStream;
}): Logger {
  return pino(
    {
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redactFields },
      serializers: { err: serializeError, error: serializeError, req: serializeRequest },
    },
    pretty ? prettyStream(destination) : destination,
  );
}

/** The logger of one subsystem: `event-log`, `projections`, `gateway`… */
export function subsystemLogger(log: Logger, subsystem: string): Logger {
  return log.child({ subsystem });
}

export type LogOutput = ReturnType<typeof standardOutput>;

/**
 * Standard output of any kind for the log's lines. It never waits, whatever its reader does: a line that cannot be
 * written is dropped and counted.
 */
export function standardOutput() {
  let dropped = 0;
  let untold = 0;
  let tell: (dropped: number) => void = () => {};
  const sink = sinkOf(process.stdout.fd, {
    onLost() {
      dropped += 1;
      untold += 1;
    },
    onWritten() {
      if (untold === 0) return;
      const count = untold;
      untold = 0;
      tell(count);
    },
  });
  return {
    write: sink.write,
    /** Lines dropped since the start. */
    dropped: () => dropped,
    /** Calls the listener with the number of dropped lines when writing works again. */
    onResumed(listener: (dropped: number) => void): void {
      tell = listener;
    },
  };
}

function sinkOf(fd: number, events: LogEvents): LogSink {
  const stats = fstatSync(fd);
  // Node writes to pipes and sockets asynchronously, to other files until all is written.
  if (stats.isFIFO() || stats.isSocket()) return createStreamSink(process.stdout, events);
  return createFileSink(isatty(fd) ? withoutWaiting(fd) : fd, events);
}

/** Opens the terminal again so that, stopped by its user, it reports that it is full. */
function withoutWaiting(fd: number): number {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return fd;
  }
}

/** Writes to a pipe or a socket; some lines wait in memory while its reader does not read. */
function createStreamSink(stream: Writable, { onLost, onWritten }: LogEvents): LogSink {
  // The reader is gone; each later line reports its own loss.
  stream.on("error", () => undefined);
  const settle = (error?: Error | null): void => {
    if (error) onLost();
    else if (stream.writableLength === 0) onWritten();
  };
  return {
    write(line) {
      if (stream.writableLength + line.length > MAX_WAITING_BYTES) onLost();
      else stream.write(line, settle);
    },
  };
}

const RETRY_MS = 100;

/**
 * Writes to an open file, terminal or other device. A line that does not fit is lost, except that
 * lines for a terminal stopped by its user wait in memory.
 */
function createFileSink(fd: number, { onLost, onWritten }: LogEvents): LogSink {
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  /** The last line was written in part. */
  let isTorn = false;

  /** Returns the bytes that must wait; null when they cannot be written at all. */
  function put(bytes: Buffer): Buffer | null {
    let rest = bytes;
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest));
      isTorn = false;
      return rest;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") return rest;
      isTorn ||= rest.length < bytes.length;
      return null;
    }
  }

  function wait(bytes: Buffer): void {
    waiting.push(bytes);
    waitingBytes += bytes.length;
    if (waiting.length === 1) setTimeout(takeWaiting, RETRY_MS).unref();
  }

  function take(bytes: Buffer): void {
    // After the lines that wait already.
    const rest = waiting.length > 0 ? bytes : put(bytes);
    if (rest === null) onLost();
    else if (rest.length > 0) wait(rest);
    else onWritten();
  }

  function takeWaiting(): void {
    waitingBytes = 0;
    for (const bytes of waiting.splice(0)) take(bytes);
  }

  return {
    write(line) {
      const bytes = Buffer.from(isTorn ? `\n${line}` : line);
      if (waitingBytes + bytes.length > MAX_WAITING_BYTES) onLost();
      else take(bytes);
    },
  };
}

/** Events about lines passed to a sink. */
type LogEvents = {
  /** Called for each lost line. */
  readonly onLost: () => void;
  /** Lines are written: a new one, or all that waited. */
  readonly onWritten: () => void;
};

/** Takes lines and never waits for their reader. */
type LogSink = { readonly write: (line: string) => void };

/** Limit of lines waiting for their reader: some thousands. */
const MAX_WAITING_BYTES = 256 * 1024;
