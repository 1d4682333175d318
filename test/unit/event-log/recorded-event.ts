import type { Position, RecordedEvent } from "#infra/log/event-log.ts";

/** An event as the log would give it. */
export function recordedEvent(
  event: Pick<RecordedEvent, "type" | "data" | "metadata">,
): RecordedEvent {
  return {
    id: "2a9f1f0c-5b1e-8c3d-9e4f-0a1b2c3d4e5f",
    stream: "catalogue-6d0f7a0e-3c52-4c4e-9a57-2f8d1b0c9e11",
    revision: 0,
    position: "1" as Position,
    recordedAt: event.metadata.at,
    ...event,
  };
}
