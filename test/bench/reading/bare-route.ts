import { startUrlProcess, type UrlProcess } from "../url-process.ts";
import type { BareQuery } from "./bare-query.ts";

const MAIN = new URL("./bare-route-main.ts", import.meta.url);
const STATEMENTS_MAIN = new URL("./bare-statements-main.ts", import.meta.url);
const FACADE_MAIN = new URL("./bare-facade-main.ts", import.meta.url);

/** Starts the yardstick of pages as its own process, for one version of one catalogue. */
export function startBareRoute(
  databaseUrl: string,
  { id, key, version }: { id: string; key: number; version: number },
): Promise<UrlProcess> {
  return startUrlProcess(MAIN, [databaseUrl, id, key, version]);
}

/** Starts a process with a route for each statement: `/statements/0` and so on. */
export function startBareStatements(
  databaseUrl: string,
  statements: readonly BareQuery[],
): Promise<UrlProcess> {
  return startUrlProcess(STATEMENTS_MAIN, [databaseUrl, JSON.stringify(statements)]);
}

/** Starts the least event service as its own process, over a table with columns of its names. */
export function startBareEventService(databaseUrl: string, table: string): Promise<UrlProcess> {
  return startUrlProcess(FACADE_MAIN, [databaseUrl, table]);
}
