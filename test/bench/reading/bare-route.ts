import { startUrlProcess, type UrlProcess } from "../url-process.ts";

const MAIN = new URL("./bare-route-main.ts", import.meta.url);

/** Starts the yardstick of pages as its own process, for one version of one catalogue. */
export function startBareRoute(
  databaseUrl: string,
  { id, key, version }: { id: string; key: number; version: number },
): Promise<UrlProcess> {
  return startUrlProcess(MAIN, [databaseUrl, id, key, version]);
}
