import type { EventLog, RecordedEvent } from "#infra/event-log/event-log.ts";

const READ_PAGE = 500;

/** The events that a command has written to a decision stream, in order. */
export async function eventsOfCommand(
  log: Pick<EventLog, "read">,
  stream: string,
  commandId: string,
): Promise<RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  for (let from = 0; ; from += READ_PAGE) {
    const page = await log.read(stream, from, READ_PAGE);
    found.push(...page.filter(({ metadata }) => metadata.commandId === commandId));
    if (page.length < READ_PAGE) return found;
  }
}
