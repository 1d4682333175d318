/** The part of a logger that database adapters use: a constant message plus fields. pino satisfies it. */
export type Log = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};

export const SILENT: Log = { info: () => {}, warn: () => {} };
