import type { Logger } from "pino";
import { RELAYS } from "#contracts/names.ts";
import { UnknownEvent } from "#infra/event-log/domain-events.ts";
import { supervise } from "#infra/lifecycle/lifecycle.ts";
import { type RelayDeps, relayNotices } from "#infra/notifications/relay-notices.ts";
import type { OpenSocket } from "#infra/postgres/database-watch.ts";
import { withLease } from "#infra/postgres/lease.ts";
import type { NoticeSource, TakeNotice } from "./notice-source.ts";

export type LogSourceDeps = RelayDeps & {
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
