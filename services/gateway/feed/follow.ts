/**
 * What an open stream sends: all changes after its positions, as server-sent events or as
 * messages of a WebSocket.
 */

import type { WebSocket } from "@fastify/websocket";
import type { FastifyBaseLogger } from "fastify";
import type { EventPredicate } from "#contracts/query/predicate.ts";
import { ALL_CHANGES, type FeedPosition } from "#services/domain/following.ts";
import {
  firstAfter,
  type VersionEntry,
  type VersionHistory,
  versionOf,
} from "#services/domain/versions.ts";
import type { VersionHistories } from "#services/versions/history.ts";
import type { AnswerPieces } from "../../handler.ts";
import { type FeedBlocks, type FeedForm, type OpenMessage, pieces } from "./blocks.ts";
import type { FeedStream, StreamEnd } from "./streams.ts";

/** What a client follows, and how. */
export type Following = {
  /** Where it has got to in each catalogue, by id; moved while it is followed. */
  readonly positions: Map<string, FeedPosition>;
  readonly filter: EventPredicate | null;
  /** Whether messages tell that the stream stands, and of the end of each version. */
  readonly control: boolean;
  readonly isGuest: boolean;
  readonly form: FeedForm;
  /** The id of a message after which the catalogues are at these positions. */
  readonly idOf: (positions: ReadonlyMap<string, FeedPosition>) => string;
  /** Whether the ids are `<version>.<change>`, so that messages can be shared by all streams. */
  readonly isOfOne: boolean;
};

export type FollowDeps = {
  readonly versionHistories: VersionHistories;
  readonly blocks: FeedBlocks;
  /** Resolves when many messages may be sent. */
  readonly turn: () => Promise<void>;
};

/** More are caught up with, and wait for a turn. */
const FEW = 8;

export type FollowedPiece = Buffer | "beat";

/**
 * All changes after the positions, first those that are in the log, then those to come, until the stream
 * ends or a catalogue may not be read any more.
 */
export async function* followChanges(
  deps: FollowDeps,
  following: Following,
  stream: FeedStream,
): AsyncGenerator<FollowedPiece> {
  const { form, control, isGuest } = following;
  const histories = new Map<string, VersionHistory>();
  if (control) yield* pieces(form, [write(following, READY)]);
  while (stream.end() === null) {
    for (const [id, known] of stream.takeNews()) {
      const history = known ?? (await deps.versionHistories.read(id));
      if (history === null || !isReadable(history, isGuest)) return;
      histories.set(id, history);
    }
    let isIdle = true;
    for (const [id, history] of histories) {
      const of = { id, entry: nextVersion(following, id, history) };
      if (of.entry === null) continue;
      isIdle = false;
      yield* await nextPieces(deps, following, { ...of, entry: of.entry });
    }
    if (!isIdle) continue;
    if ((await stream.next()) === "beat") yield "beat";
  }
}

const READY: OpenMessage = '{"action":"ready"';

function isReadable({ isDeleted, publicFrom }: VersionHistory, isGuest: boolean): boolean {
  return !isDeleted && (!isGuest || publicFrom !== null);
}

/** Moves over what is done, to the version whose changes are next; null at the end. */
function nextVersion(
  { positions, control, isGuest }: Following,
  id: string,
  history: VersionHistory,
): VersionEntry | null {
  const { versions, publicFrom } = history;
  const hidden = isGuest ? (publicFrom ?? 1) - 1 : 0;
  const position = positions.get(id) ?? { version: 0, change: ALL_CHANGES };
  const current = position.version > hidden ? versionOf(history, position.version) : undefined;
  if (current && position.change < changesOf(current) + (control ? 1 : 0)) return current;
  const next = versions[firstAfter(versions, Math.max(position.version, hidden))];
  if (next === undefined) return null;
  positions.set(id, { version: next.version, change: 0 });
  return next;
}

function changesOf({ added, updated, removed }: VersionEntry): number {
  return added + updated + removed;
}

/** Moves on, and gives what there is to send for it. */
async function nextPieces(
  { blocks, turn }: FollowDeps,
  following: Following,
  { id, entry }: { readonly id: string; readonly entry: VersionEntry },
): Promise<readonly Buffer[]> {
  const { positions, filter, control, form, isOfOne } = following;
  const { version } = entry;
  const change = positions.get(id)?.change ?? 0;
  const move = (to: number): void => void positions.set(id, { version, change: to });
  if (change >= changesOf(entry)) {
    move(change + 1);
    return control ? pieces(form, [write(following, versionMessage(following, id, entry))]) : [];
  }
  if (changesOf(entry) - change > FEW) await turn();
  const block = await blocks.after({ catalogueId: id, entry }, change);
  if (filter === null && isOfOne) {
    const sent = block.allAfter(change, form);
    move(sent.last);
    return sent.pieces;
  }
  const { messages, last } = await block.messagesAfter(change, filter);
  const texts = messages.map(({ change: at, message }) => {
    move(at);
    return write(following, message);
  });
  move(last);
  return pieces(form, texts);
}

function write({ form, idOf, positions }: Following, message: OpenMessage): string {
  return form.write(idOf(positions), message);
}

function versionMessage(
  { isOfOne }: Following,
  catalogue: string,
  { version, added, updated, removed, eventCount }: VersionEntry,
): OpenMessage {
  const counts = { version, added, updated, removed, event_count: eventCount };
  const data = JSON.stringify(isOfOne ? counts : { ...counts, catalogue });
  return `{"action":"version","data":${data}`;
}

/** Milliseconds after which a client connects again. */
const RETRY_MS = 3_000;
const HEARTBEAT = ": nothing new\n\n";

/** Silence after which proxies begin to take a connection for dead is a minute and more. */
export const EVENTS_BEAT_MS = 15_000;

/**
 * Followed changes as server-sent events. A client that has had none yet knows by the first id where to
 * go on.
 */
export async function* sendEvents(
  followed: AsyncGenerator<FollowedPiece>,
  stream: FeedStream,
  id: string,
): AnswerPieces {
  try {
    yield `retry: ${RETRY_MS}\nid: ${id}\n\n`;
    for await (const piece of followed) {
      stream.handOver();
      yield piece === "beat" ? HEARTBEAT : piece;
      stream.taken();
    }
  } finally {
    stream.close();
  }
}

/** Clients of EMSC's feed wait up to 15 s between their own pings. */
export const SOCKET_BEAT_MS = 20_000;

/** RFC 6455 and IANA's registry of close codes: going away, policy violation, try again later. */
const CODES = { stopping: 1001, ended: 1008, slow: 1013, crowded: 1013 } as const satisfies Record<
  StreamEnd,
  number
>;
const INTERNAL_ERROR = 1011;

/** Sends followed changes, one message each, until they or the connection end. */
export async function sendMessages(
  followed: AsyncGenerator<FollowedPiece>,
  stream: FeedStream,
  socket: WebSocket,
  log: Pick<FastifyBaseLogger, "warn">,
): Promise<void> {
  try {
    for await (const piece of followed) {
      if (socket.readyState !== socket.OPEN) return;
      stream.handOver();
      await (piece === "beat" ? pinged(socket) : sent(socket, piece));
      stream.taken();
    }
    closeSocket(socket, stream.end() ?? "ended");
  } catch (error) {
    if (socket.readyState !== socket.OPEN) return;
    log.warn({ err: error }, "a stream of changes has failed");
    socket.close(INTERNAL_ERROR);
  } finally {
    stream.close();
  }
}

/** The connection is cut after half a minute if its client does not close it too. */
export function closeSocket(socket: WebSocket, end: StreamEnd): void {
  socket.close(CODES[end]);
}

/** Resolves once the system has taken the message. */
function sent(socket: WebSocket, message: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.send(message, { binary: false }, (error) => (error ? reject(error) : resolve()));
  });
}

function pinged(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.ping(undefined, undefined, (error) => (error ? reject(error) : resolve()));
  });
}
