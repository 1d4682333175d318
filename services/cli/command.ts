import type { OperatedEventLog } from "#infra/event-log/operated-event-log.ts";
import type { Projection } from "#projections/projection.ts";

/** What a command works with; all of it is closed when the command has ended. */
export type CommandTools = {
  readonly databaseUrl: string;
  readonly log: OperatedEventLog;
  readonly projections: readonly Projection[];
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
  /** A line of the result; resolves when there is room for the next. */
  readonly write: (line: string) => Promise<void>;
  /** A line about the run, beside the result. */
  readonly say: (line: string) => void;
};

/** A command beside the service. */
export type CliCommand = {
  readonly usage: string;
  /**
   * Reads the arguments before anything is opened.
   * @throws UsageError
   */
  readonly parse: (args: readonly string[]) => (tools: CommandTools) => Promise<ExitCode>;
};

/** 1 where the answer is no: a difference was found, an event was not applied. */
export type ExitCode = 0 | 1;

/** The arguments are wrong; the message is a sentence. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
