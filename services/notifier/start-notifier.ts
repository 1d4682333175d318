import type { Logger } from "pino";
import { RELAYS } from "#contracts/events/log.ts";
import type { Notice } from "#contracts/events/notices.ts";
import { relayNotices, takeNotice } from "#infra/brokers/notifications.ts";
import type { RelayDeps } from "#infra/brokers/relay.ts";
import { createWakeUp, supervise, type WakeUp } from "#infra/kernel/waiting.ts";
import { UnknownEvent } from "#infra/log/event-log.ts";
import type { OpenSocket } from "#infra/postgres/connection.ts";
import { withLease } from "#infra/postgres/coordination.ts";
import { type AttemptDeps, deliverDue } from "./delivery.ts";

/** How often a notifier checks for notices stored by others and for due retries. */
const POLL_MS = 1_000;

export type NotifierDeps = AttemptDeps & {
  readonly source: NoticeSource;
  /** Called when the log has an event that this version cannot pass on. */
  readonly onFatal: (error: unknown) => void;
};

export type Notifier = {
  /** State of the connection to the broker, for readiness. */
  readonly state: NoticeSource["state"];
  /** Finishes running deliveries, which their time-outs bound. */
  readonly close: () => Promise<void>;
};

/**
 * Stores notices and delivers due notifications. Several notifiers share the work: each notification
 * is claimed by one of them.
 */
export function startNotifier(deps: NotifierDeps): Notifier {
  const { source, pool, now, onFatal } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const arrival = createWakeUp();
  const taking = source.run(async (notice) => {
    await takeNotice(pool, notice, now());
    arrival.wake();
  }, signal);
  const delivering = keepDelivering(deps, arrival, signal);
  const running = Promise.all([taking, delivering].map((work) => work.catch(onFatal)));
  return {
    state: source.state,
    close: async () => {
      stopping.abort();
      await running;
    },
  };
}

function keepDelivering(deps: AttemptDeps, arrival: WakeUp, signal: AbortSignal): Promise<void> {
  return supervise(
    async (progressed) => {
      while (!signal.aborted) {
        const version = arrival.version();
        await deliverDue(deps, signal);
        progressed();
        await arrival.wait(version, POLL_MS, signal);
      }
    },
    { signal, logger: deps.logger, name: "deliveries" },
  );
}

/** Stores a notice; when it resolves, the notice is safe and need not be repeated. */
export type TakeNotice = (notice: Notice) => Promise<void>;

/** The source of a notifier's notices: the broker, or the log itself without a broker. */
export type NoticeSource = {
  /**
   * Passes every notice to `take` at least once, in any order, until `signal` aborts. Waits during
   * outages of the source.
   */
  readonly run: (take: TakeNotice, signal: AbortSignal) => Promise<void>;
  /** A short state for readiness. */
  readonly state: () => "connected" | "disconnected" | "in process";
};

type LogSourceDeps = RelayDeps & {
  readonly databaseUrl: string;
  readonly openSocket?: OpenSocket | undefined;
  readonly logger: Logger;
};

/**
 * The log as the source of notices, for a service without a broker. One of all processes reads the
 * log, and all of them deliver.
 * @throws UnknownEvent from `run`
 */
export function createLogSource(deps: LogSourceDeps): NoticeSource {
  const { databaseUrl, openSocket, logger } = deps;
  const follow = (take: TakeNotice, signal: AbortSignal) =>
    supervise(
      (onProgress) => relayNotices(deps, { name: RELAYS.notifier, send: take, onProgress }, signal),
      { signal, logger, name: RELAYS.notifier, isFatal: (e) => e instanceof UnknownEvent },
    );
  return {
    run: (take, signal) =>
      withLease(
        databaseUrl,
        `relay ${RELAYS.notifier}`,
        { signal, log: logger, openSocket },
        (lease) => follow(take, lease.signal),
      ),
    state: () => "in process",
  };
}
