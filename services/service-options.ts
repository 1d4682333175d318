import type { Registry } from "prom-client";
import type { Config } from "#infra/config/config.ts";
import type { OperatedEventLog } from "#infra/log/event-log.ts";
import type { OpenSocket } from "#infra/postgres/connection.ts";
import type { PoolUse } from "#infra/postgres/pool.ts";
import type { Lifecycle } from "#infra/process/lifecycle.ts";
import type { Logger } from "#infra/process/logger.ts";
import type { PressureLimits } from "./gateway/capacity/pressure.ts";

export type ServiceOptions = {
  /** For a gateway, with the secret of sessions. */
  readonly config: Config;
  readonly databaseUrl: string;
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
  /** Of a link by which the service is set up while it has no administrator; absent for no link. */
  readonly setupCode?: string;
  /** Lines of the log lost since the start, for the metrics. */
  readonly droppedLogLines?: () => number;
  /** Called when a part cannot continue, for example a projector at an unknown event. */
  readonly onFatal: (error: unknown) => void;
  /** Checks every answer against its schema; for tests. */
  readonly checkAnswers?: boolean;
  /** Limits beyond which requests are shed; measured ones by default. */
  readonly pressure?: PressureLimits;
};

/** What the parts of a process share. */
export type PartOptions = ServiceOptions & {
  readonly openSocket: OpenSocket;
  readonly log: OperatedEventLog;
  readonly registry: Registry;
  /** For the metrics: the use of connections, by pool. */
  readonly pools: Map<string, () => PoolUse>;
};

/** State of this process's publisher of a feed; null when another process publishes. */
export type FeedState = () => string | null;
