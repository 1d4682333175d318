/** What the database adapters need of a logger: a constant message plus fields. pino's fits. */
export type Log = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};

export const SILENT: Log = { info: () => {}, warn: () => {} };
