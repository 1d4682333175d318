import type { Logger } from "pino";
import { RELAYS } from "#contracts/names.ts";
import type { OpenSocket } from "#infra/postgres/database-watch.ts";
import { type PublishDeps, publishNotices } from "./publish-notices.ts";
import { type Publisher, publishUnderLease } from "./publish-under-lease.ts";

export type PublisherDeps = Omit<PublishDeps, "onConnected"> & {
  readonly databaseUrl: string;
  readonly openSocket?: OpenSocket | undefined;
  readonly logger: Logger;
  /** Called when the log has an event that this version cannot pass on. */
  readonly onFatal: (error: unknown) => void;
};

/** Publishes notices to the broker: one of all processes does, and the others stand by. */
export function startPublisher(deps: PublisherDeps): Publisher {
  return publishUnderLease({
    ...deps,
    name: RELAYS.publisher,
    publish: (onConnected, signal) => publishNotices({ ...deps, onConnected }, signal),
  });
}
