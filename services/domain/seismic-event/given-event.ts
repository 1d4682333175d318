import { createExtraCollector, type ExtraCollector } from "./extra.ts";
import { isBlank } from "./text.ts";
import type { Report } from "./validation-result.ts";

/** An event being read: the given members, and those to keep unchanged. */
export type GivenEvent = {
  readonly given: Readonly<Record<string, unknown>>;
  readonly report: Report;
  extra: ExtraCollector | null;
};

/** The first of several names that has a value; other values are kept. */
export function choose(event: GivenEvent, keys: readonly string[]): string | undefined {
  let chosen: string | undefined;
  for (const key of keys) {
    if (!isGiven(event.given[key])) continue;
    if (chosen === undefined) chosen = key;
    else keep(event, key);
  }
  return chosen;
}

export function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined && !(typeof value === "string" && isBlank(value));
}

export function keep(event: GivenEvent, key: string): void {
  extraOf(event).add(key, event.given[key]);
}

export function extraOf(event: GivenEvent): ExtraCollector {
  event.extra ??= createExtraCollector();
  return event.extra;
}
