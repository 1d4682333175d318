import { type DestinationStream, type LevelWithSilent, type Logger, pino } from "pino";
import { prettyFactory } from "pino-pretty";
import { redactFields, redactText, withoutRows } from "./redaction.ts";

export type { Logger } from "pino";

export type LoggerOptions = {
  readonly level: LevelWithSilent;
  /** Lines for a person instead of JSON: only where a terminal reads them. */
  readonly pretty: boolean;
  readonly destination: DestinationStream;
};

/** What a line tells of a request: no headers and no body. */
function serializeRequest(request: { id?: unknown; method?: string; url?: string; ip?: string }) {
  const { id, method, url, ip } = request;
  return { id, method, url: url === undefined ? undefined : redactText(url), ip };
}

/** The error's own fields may hold secrets too, for example the headers of a failed request. */
function serializeError(error: Error): object {
  return redactFields(withoutRows({ ...pino.stdSerializers.errWithCause(error) }));
}

function prettyStream(destination: DestinationStream): DestinationStream {
  const format = prettyFactory({ colorize: true, singleLine: true, ignore: "pid,hostname" });
  return { write: (line) => destination.write(format(line)) };
}

/**
 * The root of all loggers: `subsystemLogger` makes the one that a subsystem writes to.
 * Lines are a constant message plus fields; secrets among the fields are replaced. The bindings of
 * a child are not looked at: they name a subsystem or a request, and hold no data.
 */
export function createLogger(options: LoggerOptions): Logger {
  const { destination } = options;
  return pino(
    {
      level: options.level,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: redactFields,
      },
      serializers: { err: serializeError, error: serializeError, req: serializeRequest },
    },
    options.pretty ? prettyStream(destination) : destination,
  );
}

/** The logger of one subsystem: `event-log`, `projections`, `gateway`… */
export function subsystemLogger(log: Logger, subsystem: string): Logger {
  return log.child({ subsystem });
}
