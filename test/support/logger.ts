import { type Logger, pino } from "pino";

/** A logger that says nothing. */
export function silentLogger(): Logger {
  return pino({ level: "silent" });
}

/** A logger whose lines are collected as objects. */
export function collectingLogger(): { log: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: "trace" }, { write: (line) => lines.push(JSON.parse(line)) });
  return { log, lines };
}
