import { randomUUID } from "node:crypto";
import type { NewEvent } from "#infra/event-log/event-log.ts";

export function newEvent(overrides: Partial<NewEvent> = {}): NewEvent {
  return {
    id: randomUUID(),
    type: "Tested",
    data: { place: "Kaikōura" },
    metadata: {
      schemaVersion: 1,
      commandId: "3f2b8c1e-0d4f-4b56-9a51-0f7d1f3f5b11",
      actor: "system",
      at: "2026-01-02T03:04:05.678Z",
    },
    ...overrides,
  };
}

export function newEvents(count: number, overrides: Partial<NewEvent> = {}): NewEvent[] {
  return Array.from({ length: count }, () => newEvent(overrides));
}

/** A stream or a type that no other test uses. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${randomUUID()}`;
}
