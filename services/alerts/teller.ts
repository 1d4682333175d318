/**
 * Follows the log and stores what alerts tell of it: each chunk of a version in one transaction with the checkpoint,
 * so that nothing is told twice and nothing is left out, whatever ends in between.
 */

import { setImmediate } from "node:timers/promises";
import type { Logger } from "pino";
import type { CommonQueryMethods, DatabasePool } from "slonik";
import { alertEvents } from "#contracts/events/alerts.ts";
import type { CatalogueEventData } from "#contracts/events/catalogues.ts";
import { PROJECTIONS, RELAYS } from "#contracts/events/log.ts";
import { HOUR_MS } from "#contracts/units.ts";
import {
  type AlertMessageRow,
  forgetAlertMessages,
  holdWaiting,
  readTold,
  storeAlertMessages,
  storeTold,
  type ToldRow,
  toldSince,
  type WaitingMessage,
} from "#infra/brokers/notifications.ts";
import {
  type FeedCheckpoint,
  moveFeedCheckpoint,
  readFeedCheckpoint,
} from "#infra/brokers/relay.ts";
import { derivedUuid } from "#infra/kernel/texts.ts";
import { supervise } from "#infra/kernel/waiting.ts";
import { fromRecorded } from "#infra/log/domain-events.ts";
import {
  type Checkpoint,
  type EventLog,
  type RecordedEvent,
  UnknownEvent,
} from "#infra/log/event-log.ts";
import type { OpenSocket } from "#infra/postgres/connection.ts";
import { withLease } from "#infra/postgres/coordination.ts";
import { createPositionWaits } from "#projections/engine/progress.ts";
import { alertsFollowing } from "#projections/read/alerts.ts";
import {
  areSame,
  isIn,
  type Telling,
  type ToldValues,
  tellChange,
  tellSince,
  valuesOf,
} from "#services/domain/alerts.ts";
import { OF_READERS, OF_USERS } from "#services/domain/following.ts";
import { createRegions } from "../regions/commands.ts";
import {
  type ChangedEvent,
  readBefore,
  readChunk,
  statesOf,
  type ToldEvent,
  type VersionOfCatalogue,
} from "../told-events.ts";
import { contentOf, type DigestContent, digestWith } from "./messages.ts";
import { createRules, type FollowingRule } from "./rules.ts";

export type TellerDeps = {
  readonly log: Pick<EventLog, "read" | "subscribe">;
  readonly pool: DatabasePool;
  readonly databaseUrl: string;
  readonly openSocket?: OpenSocket | undefined;
  readonly logger: Logger;
  readonly now: () => Date;
  /** Called when something is to be sent. */
  readonly onTold: () => void;
  /** Called when the log has an event that this version cannot read. */
  readonly onFatal: (error: unknown) => void;
};

/** Keeps telling: one of all processes does, and the others stand by. */
export function startTeller(deps: TellerDeps): { readonly close: () => Promise<void> } {
  const { databaseUrl, openSocket, logger, onFatal } = deps;
  const stopping = new AbortController();
  const options = { signal: stopping.signal, log: logger, openSocket };
  const running = withLease(databaseUrl, `relay ${RELAYS.alerts}`, options, ({ signal }) =>
    supervise((progressed) => tellVersions(deps, signal, progressed), {
      signal,
      logger,
      name: RELAYS.alerts,
      isFatal: (error) => error instanceof UnknownEvent,
    }),
  ).catch(onFatal);
  return {
    close: async () => {
      stopping.abort();
      await running;
    },
  };
}

/** After which other alerts look at a catalogue, or with other rights. */
const OF_RULES: readonly string[] = [
  ...Object.keys(alertEvents),
  ...OF_READERS,
  ...OF_USERS,
  "UserReactivated",
  "RegionChanged",
  "RegionDeleted",
];
const TYPES = ["RevisionCommitted", ...OF_RULES];

/** How long the read models may stand still while they are waited for. */
const VISIBLE_MS = 30_000;

/**
 * Stores what alerts tell of versions after the checkpoint, in order, until `signal` aborts.
 * @throws UnknownEvent; NotVisibleYet while the read models stand still; CheckpointMoved when another worker tells
 */
export async function tellVersions(
  deps: TellerDeps,
  signal: AbortSignal,
  onProgress: () => void,
): Promise<void> {
  const { log, pool } = deps;
  const waits = createPositionWaits(pool);
  const following = createFollowing(pool);
  const begun = await readFeedCheckpoint(pool, RELAYS.alerts);
  let stored = begun;
  const move = async (transaction: CommonQueryMethods, to: FeedCheckpoint): Promise<void> => {
    await moveFeedCheckpoint(transaction, RELAYS.alerts, stored, to);
  };
  let behind: Checkpoint = { position: begun.position, eventId: begun.eventId };
  for await (const { events, ...reached } of log.subscribe({
    after: behind,
    types: TYPES,
    signal,
  })) {
    if (events.length > 0) {
      for (const projection of Object.values(PROJECTIONS)) {
        await waits.until(projection, reached.position, VISIBLE_MS);
      }
    }
    for (const event of events) {
      if (signal.aborted) return;
      if (event.type === "RevisionCommitted") {
        const rules = await following.of(event);
        const from = begun.part?.commitId === event.id ? begun.part : { chunks: 0, messages: 0 };
        const parts = rules.length === 0 ? [] : tellVersion(deps, event, rules, from);
        for await (const { part, store } of parts) {
          const to = { ...behind, part };
          await pool.transaction(async (transaction) => {
            await store(transaction);
            await move(transaction, to);
          });
          stored = to;
          deps.onTold();
          onProgress();
          if (signal.aborted) return;
        }
      } else following.forget();
      behind = { position: event.position, eventId: event.id };
    }
    behind = reached;
    if (reached.position === stored.position) continue;
    await move(pool, { ...reached, part: null });
    stored = { ...reached, part: null };
    onProgress();
  }
}

/** Catalogues whose alerts are kept. */
const MOST_CATALOGUES = 200;

/** The rules that look at a commit, kept by catalogue until rules or rights may have changed. */
function createFollowing(pool: DatabasePool) {
  const rulesOf = createRules(createRegions(pool));
  const kept = new Map<string, readonly FollowingRule[]>();
  return {
    forget: () => kept.clear(),
    /** By their least magnitude, ascending. */
    async of({ data, position }: RecordedEvent): Promise<readonly FollowingRule[]> {
      const { catalogueId } = data as CatalogueEventData<"RevisionCommitted">;
      let rules = kept.get(catalogueId);
      if (rules === undefined) {
        const made = await rulesOf(await alertsFollowing(pool, catalogueId));
        rules = made.toSorted((a, b) => a.minMagnitude - b.minMagnitude);
        if (kept.size >= MOST_CATALOGUES) kept.clear();
        kept.set(catalogueId, rules);
      }
      const isLater = ({ since }: FollowingRule) => since >= position;
      return rules.some(isLater) ? rules.filter((rule) => !isLater(rule)) : rules;
    },
  };
}

type Part = {
  readonly part: FeedCheckpoint["part"];
  readonly store: (transaction: CommonQueryMethods) => Promise<void>;
};

/** What a version tells, in parts to be stored one after the other. @param rules by their least magnitude, ascending */
async function* tellVersion(
  { log, pool, now, logger }: TellerDeps,
  commit: RecordedEvent,
  rules: readonly FollowingRule[],
  from: { readonly chunks: number; readonly messages: number },
): AsyncGenerator<Part> {
  const event = fromRecorded(commit).data as CatalogueEventData<"RevisionCommitted">;
  const { catalogueId, revision, chunks } = event;
  const [{ catalogueName = "" } = {}] = rules;
  const entry = { version: revision, committedAt: commit.recordedAt, catalogueName };
  const of = { catalogueId, entry };
  for (let at = from.chunks; at < chunks; at += 1) {
    const states = await statesOf(await readChunk(log, of, at), of, readBefore(pool));
    if (states === null) {
      logger.warn({ catalogueId, version: revision }, "alerts leave out a version in error");
      continue;
    }
    const done = at === from.chunks ? from.messages : 0;
    const slices = tellAll(pool, rules, states, { done, atMs: Date.parse(commit.recordedAt) });
    for await (const { told, upTo } of slices) {
      const part = { commitId: commit.id, chunks: at, messages: upTo };
      yield { part, store: (t) => storeAll(t, told, { of, commit, at: now() }) };
    }
  }
}

/** What a change tells by a rule, or leaves to be remembered. */
type Told = {
  readonly rule: FollowingRule;
  readonly change: ChangedEvent;
  readonly telling: Telling;
  /** Whether something is kept of what was told of the event. */
  readonly wasKept: boolean;
};

/** Rules asked without giving way, in some milliseconds. */
const AT_ONCE = 5_000;

/** Of how much is told in one transaction, and a little more. */
const TOGETHER = 5_000;

/** What changes tell, in slices: `upTo` so many changes. @param done changes that are left out */
async function* tellAll(
  pool: DatabasePool,
  rules: readonly FollowingRule[],
  states: readonly ChangedEvent[],
  { done, atMs }: { readonly done: number; readonly atMs: number },
): AsyncGenerator<{ readonly told: readonly Told[]; readonly upTo: number }> {
  const known = states.filter(({ before }) => before !== null).map(({ id }) => id);
  const rows = known.length === 0 ? [] : await readTold(pool, known);
  const kept = new Map(rows.map(({ alertId, eventId, told }) => [`${alertId} ${eventId}`, told]));
  const longestMs = Math.max(...rules.map(({ rule }) => rule.maxAgeMs));
  let told: Told[] = [];
  let asked = 0;
  for (const [i, change] of states.entries()) {
    const { id, before, after } = change;
    // Most of what is imported is old, and tells nothing.
    const isOld = before === null && Date.parse(after?.time ?? "") < atMs - longestMs;
    if (i < done || isOld) continue;
    const most = Math.max(magnitudeOf(before), magnitudeOf(after));
    for (const rule of rules) {
      if (rule.minMagnitude > most) break;
      asked += 1;
      if (asked % AT_ONCE === 0) await setImmediate();
      const last = kept.get(`${rule.id} ${id}`) as ToldValues | undefined;
      const telling = tellChange(rule.rule, last ?? null, change, atMs);
      const wasKept = last !== undefined;
      if (telling.kind !== null || wasKept || !isNatural(rule, telling, after)) {
        told.push({ rule, change, telling, wasKept });
      }
    }
    if (told.length < TOGETHER) continue;
    yield { told, upTo: i + 1 };
    told = [];
  }
  if (told.length > 0) yield { told, upTo: states.length };
}

const magnitudeOf = (event: ToldEvent | null): number =>
  event?.magnitude ?? Number.NEGATIVE_INFINITY;

/** Whether what counts as told is what the event is now, so that nothing need be remembered. */
function isNatural({ rule }: FollowingRule, { told }: Telling, after: ToldEvent | null): boolean {
  if (!isIn(rule, after)) return told === null;
  return told !== null && areSame(told, valuesOf(after));
}

type Storing = {
  readonly of: VersionOfCatalogue;
  readonly commit: RecordedEvent;
  readonly at: Date;
};

/** Stores messages, those behind others that are not over yet, and beyond so many an hour as a digest. */
async function storeAll(
  transaction: CommonQueryMethods,
  all: readonly Told[],
  { of, commit, at }: Storing,
): Promise<void> {
  const { catalogueId, entry } = of;
  const pairs = all.map(({ rule, change }) => ({ alertId: rule.id, eventId: change.id }));
  const waiting = waitingBy(await holdWaiting(transaction, pairs, catalogueId));
  const hourMs = Math.floor(at.getTime() / HOUR_MS) * HOUR_MS;
  const alertIds = [...new Set(pairs.map((pair) => pair.alertId))];
  const counts = await toldSince(transaction, alertIds, new Date(hourMs));
  const messages = new Map<string, AlertMessageRow>();
  const kept: ToldRow[] = [];
  const over: string[] = [];
  for (const { rule, change, telling: alone, wasKept } of all) {
    const { id: alertId, alert } = rule;
    const { first, next } = waiting.get(`${alertId} ${change.id}`) ?? {};
    const telling = first === undefined ? alone : joined(rule, change, alone, first, commit);
    const { kind, told, since } = telling;
    const isToKeep = !isNatural(rule, telling, change.after);
    if (isToKeep || wasKept)
      kept.push({ alertId, eventId: change.id, told: isToKeep ? told : null });
    if (kind === null) {
      if (next !== undefined) over.push(next.id);
      continue;
    }
    const row: AlertMessageRow = {
      id: next?.id ?? derivedUuid(`${commit.id}\n${alertId}\n${change.id}`),
      ...{ alertId, kind: `earthquake.${kind}`, eventId: change.id, catalogueId },
      ...{ version: entry.version, content: contentOf(change, since, of), told },
      dueAt: first === undefined ? at : null,
    };
    const count = counts.get(alertId) ?? 0;
    if (next !== undefined || count < alert.settings.perHour) {
      messages.set(row.id, row);
      if (next === undefined) counts.set(alertId, count + 1);
      continue;
    }
    const digest = messages.get(`${alertId} digest`) ?? waiting.get(`${alertId} digest`)?.first;
    messages.set(`${alertId} digest`, {
      ...row,
      id: digest?.id ?? derivedUuid(`${row.id}\ndigest`),
      ...{ kind: "digest", eventId: null, told: null, dueAt: new Date(hourMs + HOUR_MS) },
      content: digestWith((digest?.content ?? null) as DigestContent | null, row),
    });
  }
  await storeAlertMessages(transaction, [...messages.values()], at);
  if (over.length > 0) await forgetAlertMessages(transaction, over);
  if (kept.length > 0) await storeTold(transaction, kept);
}

/** What is to follow a message that is not over. What came in and is not told as new counts as told all the same. */
function joined(
  { rule }: FollowingRule,
  { after }: ChangedEvent,
  alone: Telling,
  first: WaitingMessage,
  commit: RecordedEvent,
): Telling {
  const since = first.told as ToldValues | null;
  const telling = tellSince(rule, since, after, Date.parse(commit.recordedAt));
  return telling.kind === null && since === null ? alone : telling;
}

/** What is not over of each pair, the one that is sent and the one behind it; digests of their alert. */
function waitingBy(rows: readonly WaitingMessage[]) {
  const all = new Map<string, { first?: WaitingMessage; next?: WaitingMessage }>();
  for (const row of rows) {
    const key = `${row.alertId} ${row.eventId ?? "digest"}`;
    all.set(key, { ...all.get(key), ...(row.waits ? { next: row } : { first: row }) });
  }
  return all;
}
