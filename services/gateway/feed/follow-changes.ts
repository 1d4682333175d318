import type { EventPredicate } from "#contracts/query/event-predicate.ts";
import { ALL_CHANGES, type FeedPosition } from "#services/domain/following.ts";
import {
  firstAfter,
  type VersionEntry,
  type VersionHistory,
  versionOf,
} from "#services/domain/versions.ts";
import type { VersionHistories } from "#services/versions/version-histories.ts";
import type { FeedBlocks } from "./feed-blocks.ts";
import { type FeedForm, type OpenMessage, pieces } from "./feed-form.ts";
import type { FeedStream } from "./feed-stream.ts";

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

type Next = { readonly id: string; readonly entry: VersionEntry };

/** Moves on, and gives what there is to send for it. */
async function nextPieces(
  { blocks, turn }: FollowDeps,
  following: Following,
  { id, entry }: Next,
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
