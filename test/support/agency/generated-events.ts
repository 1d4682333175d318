import { generateEvents } from "../generate-catalogue.ts";
import type { ServedEvent } from "./served-catalogue.ts";

/** A generated catalogue as the test agency serves it: 2015 to 2022, from a seed. */
export function* servedEvents(seed: number, count: number): Generator<ServedEvent> {
  for (const row of generateEvents(seed, count)) yield { row };
}
