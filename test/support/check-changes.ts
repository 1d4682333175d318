import type { CatalogueEvent } from "#contracts/events/catalogues.ts";
import { changeSubject } from "#contracts/events/log.ts";
import { fromRecorded } from "#infra/log/domain-events.ts";
import { type EventLog, eventsToHead, type Position, START } from "#infra/log/event-log.ts";
import type { ChangeMessage } from "./read-changes.ts";

const KINDS = new Map<string, string>([
  ["CatalogueCreated", "created"],
  ["CatalogueRenamed", "renamed"],
  ["VisibilityChanged", "visibility"],
  ["RevisionCommitted", "version"],
  ["CatalogueDeleted", "deleted"],
]);

/**
 * The stream of changes, without repetitions, has every change of the log after `after`, those of a
 * catalogue in their order, and nothing else.
 * @returns what is wrong
 */
export async function checkChanges(
  log: EventLog,
  messages: readonly ChangeMessage[],
  after: Position = START,
): Promise<string[]> {
  const expected = await expectedChanges(log, after);
  const told = Map.groupBy(messages, ({ change }) => change.subject);
  const losses: string[] = [];
  for (const id of new Set([...expected.keys(), ...told.keys()])) {
    const wanted = expected.get(id) ?? [];
    const found = withoutRepetitions(told.get(id) ?? []).map(summaryOf);
    const wrong = wanted.findIndex((summary, i) => summary !== found[i]);
    if (wrong >= 0) losses.push(`the stream has ${found[wrong]} for ${wanted[wrong]}`);
    else if (found.length > wanted.length) {
      losses.push(`the stream has ${found[wanted.length]}, of which the log does not know`);
    }
  }
  return losses;
}

/** By catalogue, what is told of each of its changes. */
async function expectedChanges(log: EventLog, after: Position): Promise<Map<string, string[]>> {
  const expected = new Map<string, string[]>();
  for await (const { events } of eventsToHead(log, after, new AbortController().signal)) {
    for (const recorded of events) {
      const kind = KINDS.get(recorded.type);
      if (kind === undefined) continue;
      const event = fromRecorded(recorded) as CatalogueEvent;
      const { catalogueId } = event.data;
      const version =
        event.type === "RevisionCommitted"
          ? [event.data.revision, event.data.eventCount, event.data.contentHash]
          : [];
      const subject = changeSubject(catalogueId, kind);
      const summary = [subject, recorded.id, recorded.position, ...version].join(" ");
      const changes = expected.get(catalogueId);
      if (changes) changes.push(summary);
      else expected.set(catalogueId, [summary]);
    }
  }
  return expected;
}

function summaryOf({ subject, id, position, change: { data } }: ChangeMessage): string {
  const version = "version" in data ? [data.version, data.event_count, data.content_hash] : [];
  return [subject, id, position, ...version].join(" ");
}

/** Messages of one catalogue as a subscriber keeps them. */
function withoutRepetitions(messages: readonly ChangeMessage[]): ChangeMessage[] {
  const kept: ChangeMessage[] = [];
  for (const message of messages) {
    const last = kept.at(-1);
    if (last === undefined || message.position > last.position) kept.push(message);
  }
  return kept;
}
