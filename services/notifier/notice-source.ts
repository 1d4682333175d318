import type { Logger } from "pino";
import { RELAYS } from "#contracts/names.ts";
import type { Notice } from "#contracts/notifications/notice.ts";
import { relayNotices } from "#infra/brokers/notifications.ts";
import type { RelayDeps } from "#infra/brokers/relay.ts";
import { supervise } from "#infra/kernel/waiting.ts";
import { UnknownEvent } from "#infra/log/event-log.ts";
import type { OpenSocket } from "#infra/postgres/connection.ts";
import { withLease } from "#infra/postgres/coordination.ts";

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
