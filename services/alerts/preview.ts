/** What a rule would have told of versions that the log has. */

import { setImmediate } from "node:timers/promises";
import type { DatabasePool } from "slonik";
import { type AlertMessage, type MessageType, PREVIEW_LIMITS } from "#contracts/http/alerts.ts";
import { derivedUuid } from "#infra/kernel/texts.ts";
import type { Chunk } from "#infra/log/chunks.ts";
import type { EventLog } from "#infra/log/event-log.ts";
import {
  type AlertRule,
  areSame,
  type ToldValues,
  tellChange,
  valuesOf,
} from "#services/domain/alerts.ts";
import type { VersionEntry } from "#services/domain/versions.ts";
import { type ChangedEvent, lengthOf, readBefore, readChunk, statesOf } from "../told-events.ts";
import type { VersionHistories } from "../versions/history.ts";
import { contentOf, messageOf } from "./messages.ts";

export type PreviewDeps = {
  readonly log: Pick<EventLog, "read">;
  readonly pool: DatabasePool;
  readonly versionHistories: VersionHistories;
  readonly publicBaseUrl: string;
};

export type PreviewRequest = {
  readonly alert: AlertMessage["alert"];
  readonly rule: AlertRule;
  readonly catalogues: readonly string[];
  /** Of versions, inclusive. */
  readonly from: Date;
  readonly to: Date;
  /** Ends it. */
  readonly signal: AbortSignal;
};

export type Preview = {
  count: number;
  readonly byType: Partial<Record<MessageType, number>>;
  readonly messages: AlertMessage[];
  truncated: boolean;
};

/** In which it has to be done; what comes later is left out. */
const LONGEST_MS = 15_000;

/** Goes through the versions of all catalogues in the order of their times. @throws the signal's reason */
export async function previewAlert(deps: PreviewDeps, request: PreviewRequest): Promise<Preview> {
  const preview: Preview = { count: 0, byType: {}, messages: [], truncated: false };
  const told = new Map<string, ToldValues>();
  const endsAt = performance.now() + LONGEST_MS;
  let left: number = PREVIEW_LIMITS.changes;
  for (const of of await versionsOf(deps, request)) {
    for (let at = 0; at < of.entry.chunks; at += 1) {
      request.signal.throwIfAborted();
      await setImmediate();
      const chunk = await readChunk(deps.log, of, at);
      left -= lengthOf(chunk);
      if (left < 0 || performance.now() > endsAt) return { ...preview, truncated: true };
      const states = await statesIn(chunk, deps, request.rule, of);
      for (const change of states ?? []) tell(deps, request, of, { preview, told, change });
    }
  }
  return preview;
}

type OfVersion = { readonly catalogueId: string; readonly entry: VersionEntry };

async function versionsOf(
  { versionHistories }: PreviewDeps,
  { catalogues, from, to }: PreviewRequest,
): Promise<OfVersion[]> {
  const all: OfVersion[] = [];
  for (const catalogueId of catalogues) {
    const { versions = [] } = (await versionHistories.read(catalogueId)) ?? {};
    for (const entry of versions) {
      const at = Date.parse(entry.committedAt);
      if (at >= from.getTime() && at <= to.getTime()) all.push({ catalogueId, entry });
    }
  }
  return all.toSorted((a, b) => (a.entry.committedAt < b.entry.committedAt ? -1 : 1));
}

function statesIn(chunk: Chunk, { pool }: PreviewDeps, { maxAgeMs }: AlertRule, of: OfVersion) {
  const oldestMs = Date.parse(of.entry.committedAt) - maxAgeMs;
  return statesOf(chunk, of, readBefore(pool), (time) => Date.parse(time) < oldestMs);
}

type Telling = {
  readonly preview: Preview;
  /** What was told of events, where they are something else by now. */
  readonly told: Map<string, ToldValues>;
  readonly change: ChangedEvent;
};

function tell(
  { publicBaseUrl }: PreviewDeps,
  { alert, rule }: PreviewRequest,
  of: OfVersion,
  { preview, told, change }: Telling,
): void {
  const { committedAt, version, catalogueName: name } = of.entry;
  const last = told.get(change.id) ?? null;
  const telling = tellChange(rule, last, change, Date.parse(committedAt));
  const isKept = telling.told && change.after && !areSame(telling.told, valuesOf(change.after));
  if (telling.told && isKept) told.set(change.id, telling.told);
  else told.delete(change.id);
  if (telling.kind === null) return;
  const type: MessageType = `earthquake.${telling.kind}`;
  preview.count += 1;
  preview.byType[type] = (preview.byType[type] ?? 0) + 1;
  if (preview.messages.length === PREVIEW_LIMITS.messages) return;
  const id = derivedUuid(`${of.catalogueId} ${version} ${change.id}`);
  const catalogue = { id: of.catalogueId, name, version };
  const head = { id, type, timestamp: committedAt, alert, catalogue };
  const content = contentOf(change, telling.since, of);
  preview.messages.push(messageOf(head, content, publicBaseUrl) as unknown as AlertMessage);
}
