import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { isPlainObject, structureFault } from "./structure.ts";
import { isBlank } from "./text.ts";
import type { Report } from "./validation-result.ts";

/** An event being read: the given members, and those to keep unchanged. */
export type EventDraft = {
  readonly members: Readonly<Record<string, unknown>>;
  readonly report: Report;
  extra: ExtraCollector | null;
};

/** The first of several names that has a value; other values are kept. */
export function choose(event: EventDraft, keys: readonly string[]): string | undefined {
  let chosen: string | undefined;
  for (const key of keys) {
    if (!isGiven(event.members[key])) continue;
    if (chosen === undefined) chosen = key;
    else keep(event, key);
  }
  return chosen;
}

export function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined && !(typeof value === "string" && isBlank(value));
}

export function keep(event: EventDraft, key: string): void {
  extraOf(event).add(key, event.members[key]);
}

export function extraOf(event: EventDraft): ExtraCollector {
  event.extra ??= createExtraCollector();
  return event.extra;
}

/** Collects foreign attributes of an event. */
type ExtraCollector = {
  add(key: string, value: unknown): void;
  /** Merges a given `extra`: an object, or JSON text of one. */
  merge(key: string, value: unknown): void;
  /** Everything collected, null without any; problems are reported. */
  finish(report: Report): JsonObject | null;
};

/** A null at the top level is an absent attribute and not kept; within `extra` it is kept. */
function createExtraCollector(): ExtraCollector {
  // Without a prototype, `__proto__` is an ordinary member until it is refused.
  const members: Record<string, unknown> = Object.create(null);
  const repeated: string[] = [];

  function set(key: string, value: unknown): void {
    if (key in members) repeated.push(key);
    members[key] = value;
  }

  function add(key: string, value: unknown): void {
    if (value !== null && value !== undefined) set(key, value);
  }

  return {
    add,
    merge(key, value) {
      const object = typeof value === "string" ? parseObject(value) : value;
      // A file's own column `extra` may contain anything and is kept like any other foreign column.
      if (!isPlainObject(object)) add(key, value);
      else for (const [name, item] of Object.entries(object)) set(name, item);
    },
    finish(report) {
      for (const key of repeated) report("extra", `gives ${JSON.stringify(key)} twice`);
      const fault = structureFault(members);
      if (fault !== null) return report("extra", fault);
      return Object.keys(members).length > 0 ? ({ ...members } as JsonObject) : null;
    },
  };
}

function parseObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
