import { catalogueEvents } from "#contracts/domain-events/catalogue-events.ts";
import { fromRecorded } from "#infra/event-log/domain-events.ts";
import { type EventLog, START } from "#infra/event-log/event-log.ts";
import { eventsToHead } from "#infra/event-log/events-to-head.ts";
import { catalogueContent } from "#services/publisher/analytics/publish-analytics.ts";
import type { RecordedMessage } from "./topic-recorder.ts";

/** A message of a decision that the topic has to hold, with the changes of events before it. */
type Expected = { readonly type: string; readonly position: string; readonly changes: number };

/**
 * The topic, without repetitions, has every decision of the log in its order, and before each
 * revision all changes of its events.
 * @returns what is wrong
 */
export async function checkTopic(
  log: EventLog,
  messages: readonly RecordedMessage[],
): Promise<string[]> {
  const losses: string[] = [];
  const expected = await expectedByCatalogue(log);
  const told = Map.groupBy(messages, ({ key }) => key);
  for (const [id, decisions] of expected) {
    losses.push(...compare(id, decisions, withoutRepetitions(told.get(id) ?? [])));
  }
  for (const id of told.keys()) {
    if (!expected.has(id)) losses.push(`the topic tells of ${id}, of which the log does not know`);
  }
  return losses;
}

async function expectedByCatalogue(log: EventLog): Promise<Map<string, Expected[]>> {
  const expected = new Map<string, Expected[]>();
  for await (const { events } of eventsToHead(log, START, new AbortController().signal)) {
    for (const recorded of events) {
      if (!Object.hasOwn(catalogueEvents, recorded.type)) continue;
      const event = fromRecorded(recorded) as Parameters<typeof catalogueContent>[0];
      const content = catalogueContent(event);
      if (content === null) continue;
      const { catalogueId } = event.data;
      const changes =
        event.type === "RevisionCommitted"
          ? event.data.added + event.data.updated + event.data.removed
          : 0;
      const decision = { type: content.type, position: recorded.position, changes };
      const decisions = expected.get(catalogueId);
      if (decisions) decisions.push(decision);
      else expected.set(catalogueId, [decision]);
    }
  }
  return expected;
}

function withoutRepetitions(messages: readonly RecordedMessage[]): RecordedMessage[] {
  const kept: RecordedMessage[] = [];
  for (const message of messages) {
    const last = kept.at(-1);
    const isNew =
      last === undefined ||
      message.position > last.position ||
      (message.position === last.position && message.ordinal > last.ordinal);
    if (isNew) kept.push(message);
  }
  return kept;
}

function compare(id: string, expected: readonly Expected[], told: RecordedMessage[]): string[] {
  let at = 0;
  for (const { type, position, changes } of expected) {
    for (let ordinal = 0; ordinal <= changes; ordinal += 1) {
      const message = told[at];
      const isRight =
        message?.position === position &&
        message.ordinal === ordinal &&
        message.type.startsWith("seismic-event.") === ordinal < changes &&
        (ordinal < changes || message.type === type);
      if (!isRight) {
        const found = JSON.stringify(message ?? null);
        return [`the topic has ${found} for message ${ordinal} of ${type} of ${id} at ${position}`];
      }
      at += 1;
    }
  }
  return at === told.length ? [] : [`the topic has ${told.length - at} messages too many of ${id}`];
}
