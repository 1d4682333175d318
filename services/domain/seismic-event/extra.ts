import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { isPlainObject, structureFault } from "./structure.ts";
import type { Report } from "./validation-result.ts";

/** Attributes that are none of ours, collected while an event is read. */
export type ExtraCollector = {
  add(key: string, value: unknown): void;
  /** Merges what was given as `extra` itself: an object, or JSON text of one. */
  merge(key: string, value: unknown): void;
  /** All of it, null when there is none; faults are reported. */
  finish(report: Report): JsonObject | null;
};

/** A null at the top is an attribute that is not there, and is not kept; within `extra` it is. */
export function createExtraCollector(): ExtraCollector {
  // Without a prototype, `__proto__` is a member like others until it is refused.
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
      // A file's own column of that name holds anything: it is kept like any other column.
      if (!isPlainObject(object)) add(key, value);
      else for (const [name, item] of Object.entries(object)) set(name, item);
    },
    finish(report) {
      for (const key of repeated) report("extra", `gives ${JSON.stringify(key)} twice`);
      const fault = structureFault(members);
      if (fault !== null) report("extra", fault);
      return fault === null && Object.keys(members).length > 0
        ? ({ ...members } as JsonObject)
        : null;
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
