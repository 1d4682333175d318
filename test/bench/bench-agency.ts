import { startUrlProcess, type UrlProcess } from "./url-process.ts";

const MAIN = new URL("./bench-agency-main.ts", import.meta.url);

/** An agency of `count` generated events, each with `picks` picks in its XML. */
export function startBenchAgency(count: number, picks: number): Promise<UrlProcess> {
  return startUrlProcess(MAIN, [count, picks]);
}
