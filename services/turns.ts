/**
 * What an answer holds and what it waits for: its lifetime, its turn among answers of its kind,
 * and how long its searches may take.
 */

import type { ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Pool } from "pg";
import type { Registry } from "prom-client";
import { Refusal } from "#contracts/errors.ts";
import { MIB } from "#contracts/units.ts";
import {
  type Asker,
  createFairQueue,
  type FairQueue,
  QueueFull,
  type QueueLimits,
  readyUnlessLeft,
  type Turn,
} from "#infra/kernel/fair-queue.ts";
import { type AskedPool, whileAsked } from "#infra/postgres/statements.ts";
import { type AnswerUse, createWaitMetric, registerAnswerUse } from "#infra/process/metrics.ts";
import { type EventReads, LONG_READS } from "#projections/read/walk.ts";
import { Overloaded, RateLimited, RETRY_AFTER_SECONDS } from "./errors.ts";

type Release = () => unknown;

/** The client is gone, so no one can be answered; not a fault of the service. */
export const answerOver = (): Refusal =>
  new Refusal("VALIDATION_ERROR", "The client left before it had its answer");

export type AnswerScope = ReturnType<typeof openScope>;

/**
 * The lifetime of an answer, which owns all its resources.
 * @param onFault called when a resource cannot be released
 */
export function openScope(response: ServerResponse, onFault: (error: unknown) => void) {
  let owned: Release[] | null = [];
  let controller: AbortController | null = null;

  async function call(release: Release): Promise<void> {
    try {
      await release();
    } catch (error) {
      onFault(error);
    }
  }

  function end(): void {
    const releases = owned ?? [];
    owned = null;
    controller?.abort(answerOver());
    // In reverse order, since later resources may depend on earlier ones.
    for (const release of releases.reverse()) void call(release);
  }

  if (response.destroyed) end();
  // Node emits this for every response, whether sent or disconnected.
  else response.once("close", end);
  return {
    /** Aborts when the answer is over: sent completely, cut off, or its client disconnected. */
    get signal(): AbortSignal {
      controller ??= new AbortController();
      if (owned === null) controller.abort(answerOver());
      return controller.signal;
    },
    /** Calls `release` once, when the answer is over for whatever reason; at once if it is over already. */
    own(release: Release): void {
      if (owned === null) void call(release);
      else owned.push(release);
    },
    /** Ends the answer at once, with its connection. */
    cut: (): void => void response.destroy(),
  };
}

declare module "fastify" {
  interface FastifyRequest {
    /** Owner of the answer's resources. */
    scope: AnswerScope;
  }
}

/** Gives every request a scope that ends with its answer. */
export function registerScopes(app: FastifyInstance): void {
  app.decorateRequest("scope");
  app.addHook("onRequest", async (request, reply) => {
    request.scope = openScope(reply.raw, (error) =>
      request.log.warn({ err: error }, "a resource of an answer was not released"),
    );
  });
}

/** The recipient of an answer: turns rotate by network and caller, bytes are bounded by network. */
export type Recipient = Pick<Asker, "caller" | "network" | "isGuest">;

/** The place of an answer among all others. */
export type AnswerPlace = {
  /**
   * Waits for the answer's turn among those of its kind. The place is released when the answer is
   * over, or earlier by the returned function.
   * @param bytes expected size in memory
   * @throws RateLimited or Overloaded when too many answers wait already; Refusal when the answer is
   * over
   */
  readonly turn: (kind: AnswerKind, bytes?: number) => Promise<() => void>;
  /** Sets the bytes of the answer that are in memory now. */
  readonly holds: (bytes: number) => void;
};

type Kind = {
  readonly limits: AnswerLimits;
  readonly queue: FairQueue;
  readonly held: ReturnType<typeof createHeldBytes>;
};
type Kinds = Readonly<Record<AnswerKind, Kind>>;

function placeOf(kinds: Kinds, recipient: Recipient, scope: AnswerScope): AnswerPlace {
  const { network } = recipient;
  /** Kind and number of the answer's bytes. */
  let own: { readonly kind: AnswerKind; readonly bytes: number } = { kind: "others", bytes: 0 };
  let isOver = false;
  const hold = (kind: AnswerKind, bytes: number): void => {
    // An answer still being made for a disconnected client is ignored.
    if (isOver) return;
    const before = own;
    own = { kind, bytes };
    kinds[before.kind].held.change(network, -before.bytes);
    kinds[kind].held.change(network, bytes);
    if (before.kind !== kind || before.bytes > bytes) kinds[before.kind].queue.admitWaiting();
  };
  scope.own(() => {
    hold(own.kind, 0);
    isOver = true;
  });
  return {
    holds: (bytes) => hold(own.kind, bytes),
    async turn(kind, bytes = 0) {
      const { limits, held } = kinds[kind];
      const { ready, leave } = enter(kind, kinds[kind].queue, recipient, () => {
        if (limits.bytes === null) return true;
        const hasRoom = held.hasRoom(network, bytes, limits.bytes);
        if (hasRoom) hold(kind, own.bytes + bytes);
        return hasRoom;
      });
      scope.own(() => leave(answerOver));
      await ready;
      if (isOver) throw answerOver();
      return () => leave(answerOver);
    },
  };
}

/**
 * Too many exports or uploads of one user are that user's doing (429); other refusals are due to the
 * load (503).
 */
function enter(
  kind: AnswerKind,
  queue: FairQueue,
  recipient: Recipient,
  admit: () => boolean,
): Turn {
  try {
    return queue.enter(recipient, admit);
  } catch (error) {
    if (!(error instanceof QueueFull)) throw error;
    if (!error.isOfOne || (kind !== "exports" && kind !== "uploads")) {
      throw new Overloaded("Too many answers are waited for; try again", RETRY_AFTER_SECONDS);
    }
    const text = `Too many ${kind} of yours, or of your network, wait already`;
    throw new RateLimited(RETRY_AFTER_SECONDS, text);
  }
}

/** Waits for a turn of work that several answers may share, so that it belongs to none; it is to be left. */
export type WorkTurn = (asker: Asker) => Promise<() => void>;

export type AnswerPlaces = {
  readonly of: (recipient: Recipient, scope: AnswerScope) => AnswerPlace;
  /** @throws QueueFull; the signal's reason */
  readonly ofWork: (kind: AnswerKind) => WorkTurn;
  readonly use: () => AnswerUse;
};

export type AnswerPlacesOptions = {
  readonly limits: Readonly<Record<AnswerKind, AnswerLimits>>;
  /** Called with the time that an answer has waited for its turn. */
  readonly onTurn?: (kind: AnswerKind, waitedMs: number) => void;
};

export function createAnswerPlaces({
  limits,
  onTurn = () => undefined,
}: AnswerPlacesOptions): AnswerPlaces {
  const kinds = Object.fromEntries(
    ANSWER_KINDS.map((kind) => {
      const queue = createFairQueue(limits[kind], (waitedMs) => onTurn(kind, waitedMs));
      return [kind, { limits: limits[kind], queue, held: createHeldBytes() }];
    }),
  ) as Kinds;
  return {
    of: (recipient, scope) => placeOf(kinds, recipient, scope),
    ofWork: (kind) => async (asker) => {
      asker.signal.throwIfAborted();
      const turn = kinds[kind].queue.enter(asker);
      await readyUnlessLeft(turn, asker.signal);
      return () => turn.leave();
    },
    use: () => ({
      kinds: ANSWER_KINDS.map((kind) => ({
        kind,
        running: kinds[kind].queue.running(),
        waiting: kinds[kind].queue.waiting(),
        heldBytes: kinds[kind].held.inAll(),
      })),
    }),
  };
}

/** The places of a gateway's answers, with metrics. */
export function openAnswerPlaces(registry: Registry): AnswerPlaces {
  const observe = createWaitMetric(registry);
  const places = createAnswerPlaces({
    limits: ANSWER_LIMITS,
    // Other answers seldom wait, and measuring them would cost more than it is worth.
    onTurn: (kind, waitedMs) => kind !== "others" && observe(kind, waitedMs),
  });
  registerAnswerUse(registry, places.use);
  return places;
}

/** Bytes in memory of answers of a kind, until their clients have read them, by network. */
function createHeldBytes() {
  const byNetwork = new Map<string, number>();
  let inAll = 0;
  return {
    /** Whether this many more bytes fit; a single answer always fits. */
    hasRoom(network: string, bytes: number, bounds: HeldBounds): boolean {
      const own = byNetwork.get(network) ?? 0;
      const hasOwn = own === 0 || own + bytes <= bounds.ofOne;
      return hasOwn && (inAll === 0 || inAll + bytes <= bounds.inAll);
    },
    /** @param change may be negative */
    change(network: string, change: number): void {
      const own = (byNetwork.get(network) ?? 0) + change;
      inAll += change;
      if (own === 0) byNetwork.delete(network);
      else byNetwork.set(network, own);
    },
    inAll: () => inAll,
  };
}

/**
 * Exports; columns of the map; uploads; pages of more than a thousand events; searches and counts that may read many
 * rows; analyses; everything else.
 */
const ANSWER_KINDS = [
  "exports",
  "columns",
  "uploads",
  "pages",
  "searches",
  "analyses",
  "others",
] as const;
export type AnswerKind = (typeof ANSWER_KINDS)[number];

/** Limits of the bytes that answers of a kind hold at once, in memory or in files. */
type HeldBounds = {
  /** For answers to one network. */
  readonly ofOne: number;
  readonly inAll: number;
};

type AnswerLimits = QueueLimits & {
  /**
   * Beyond them an answer waits until others have been read by their clients; null for kinds that
   * hold nothing.
   */
  readonly bytes: HeldBounds | null;
};

/** Concurrent exports for slow clients, each with a database connection and a task in a thread. */
const MAX_EXPORTS = 12;
/** Columns are read from the database faster than any client takes them, and wait for it in a file. */
const MAX_COLUMNS = 4;
/** For exports and columns. */
export const EXPORT_CONNECTIONS = MAX_EXPORTS + MAX_COLUMNS;

/** One at a time. */
const BY_ONE = { running: 1, waiting: 1_024 };
const PAGE_BYTES: HeldBounds = { ofOne: 32 * MIB, inAll: 128 * MIB };
const UNBOUNDED: HeldBounds = {
  ofOne: Number.POSITIVE_INFINITY,
  inAll: Number.POSITIVE_INFINITY,
};

/**
 * All queues of a gateway are in this table and that of its threads; what one caller and one network may have at once follows
 * from what all may have (`createQueueCounts`). One page at a time keeps the main thread busy; two would double the
 * wait of small answers. Bytes are bounded per kind, so a network's waiting large pages do not delay its small
 * answers. One analysis at a time leaves the database to other requests.
 */
export const ANSWER_LIMITS: Readonly<Record<AnswerKind, AnswerLimits>> = {
  exports: { running: MAX_EXPORTS, waiting: 256, waitingOfOne: 12, bytes: UNBOUNDED },
  columns: {
    running: MAX_COLUMNS,
    waiting: 256,
    waitingOfOne: 64,
    bytes: { ofOne: 256 * MIB, inAll: 4_096 * MIB },
  },
  uploads: {
    running: 64,
    runningOfNetwork: 8,
    waiting: 256,
    waitingOfOne: 12,
    bytes: UNBOUNDED,
  },
  pages: { ...BY_ONE, waitingOfOne: 256, bytes: PAGE_BYTES },
  searches: {
    running: LONG_READS.searches,
    waiting: 1_024,
    waitingOfOne: 64,
    bytes: PAGE_BYTES,
  },
  analyses: { ...BY_ONE, waitingOfOne: 64, bytes: null },
  others: {
    running: Number.POSITIVE_INFINITY,
    waiting: 4_096,
    waitingOfOne: 1_024,
    bytes: { ofOne: 32 * MIB, inAll: Number.POSITIVE_INFINITY },
  },
};

/** Who reads, and the turns of his answer. */
export type SearchCall = {
  readonly asker: Pick<Asker, "signal">;
  readonly turn: AnswerPlace["turn"];
};

/** Approximate size of an event in an answer, without structures and foreign attributes. */
const EVENT_BYTES = 800;
/** Larger pages wait for turns. */
const SHORT_PAGE = 1_000;
/** Searches of a higher price (`priceOf`), half a second at most, wait for turns. */
const SHORT_SEARCH = 8_000_000;

/** How long a search or a count may take once it is its turn. */
const SEARCH_MS = 5_000;

/**
 * What a call reads events with. Whatever it starts ends when its caller leaves; what may take long runs in turns,
 * beside all else, and for a bounded time. A place is released once everything is read.
 */
export function readsFor(reads: EventReads, { turn, asker }: SearchCall): EventReads {
  const search: EventReads["search"] = async ({ price, events }, read) => {
    const isLong = price > SHORT_SEARCH;
    const kind = isLong ? "searches" : events > SHORT_PAGE ? "pages" : "others";
    const leave = await turn(kind, events * EVENT_BYTES);
    try {
      if (isLong) return await readBounded(reads.longPool, asker, read);
      return await read(whileAsked(reads.pool, asker.signal));
    } catch (error) {
      // A lost connection is nobody's fault then.
      asker.signal.throwIfAborted();
      throw error;
    } finally {
      leave();
    }
  };
  return { ...reads, search };
}

/** Reads with statements that end with who asks, and together within a time. @throws Refusal TOO_MANY_EVENTS */
export async function readBounded<T>(
  pool: Pool,
  { signal }: Pick<Asker, "signal">,
  read: (pool: AskedPool) => Promise<T>,
  boundMs = SEARCH_MS,
): Promise<T> {
  const bound = AbortSignal.timeout(boundMs);
  try {
    return await read(whileAsked(pool, AbortSignal.any([signal, bound])));
  } catch (cause) {
    signal.throwIfAborted();
    if (!bound.aborted) throw cause;
    const text = `These events are not found within ${boundMs / 1_000} s: narrow the time, the box or the magnitudes, ask by a simpler shape or fewer patterns, or export the catalogue`;
    throw new Refusal("TOO_MANY_EVENTS", text, { cause });
  }
}
