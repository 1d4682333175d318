import { Counter, type Registry } from "prom-client";
import { PUSH_TIMES } from "#infra/agency/push.ts";
import type { OpenSocket } from "#infra/postgres/connection.ts";
import { withLease } from "#infra/postgres/coordination.ts";
import type { Logger } from "#infra/process/logger.ts";
import { gauges } from "#infra/process/metrics.ts";
import type { CommandContext } from "#services/commands/context.ts";
import {
  createDeliveries,
  type DeliveriesDeps,
} from "#services/commands/pushes/deliver-messages.ts";
import {
  type KeepPushesDeps,
  keepPushes,
  type PushCounts,
} from "#services/commands/pushes/keep-pushes.ts";

const POLL_MS = 1_000;

type OpenPushesDeps = Pick<KeepPushesDeps, "agencies"> &
  Pick<DeliveriesDeps, "scheduler" | "regions"> & {
    readonly context: Pick<CommandContext, "pool" | "now">;
    readonly databaseUrl: string;
    readonly openSocket?: OpenSocket | undefined;
    readonly registry: Registry;
    readonly logger: Logger;
  };

/** Listens to agencies that send messages, in one process of all, and has schedules apply them. */
export function openPushes(deps: OpenPushesDeps): { readonly close: () => Promise<void> } {
  const { context, agencies, regions, scheduler, databaseUrl, openSocket, registry, logger } = deps;
  const { pool, now } = context;
  const stopping = new AbortController();
  let connected: readonly string[] = [];
  const counts = measure(registry, () => connected);

  async function listen(signal: AbortSignal): Promise<void> {
    const deliveries = createDeliveries({ pool, now, regions, scheduler, logger, signal });
    const common = { pool, now, agencies, deliveries, counts, logger };
    const keeping = keepPushes({ ...common, times: PUSH_TIMES, pollMs: POLL_MS }, signal, (ids) => {
      connected = ids;
    });
    await keeping.finally(deliveries.settled);
  }

  const options = { signal: stopping.signal, log: logger, openSocket };
  const listening = withLease(databaseUrl, "messages of agencies", options, ({ signal }) =>
    listen(signal),
  ).catch((error: unknown) =>
    logger.error({ err: error }, "agencies are not listened to any more"),
  );

  return {
    close: async () => {
      stopping.abort();
      await listening;
    },
  };
}

function measure(registry: Registry, connected: () => readonly string[]): PushCounts {
  const collect = gauges([
    {
      name: "agency_pushes_connected",
      help: "Agencies whose messages come to this process",
      labels: ["agency"],
      read: () => connected().map((agency) => ({ labels: { agency }, value: 1 })),
    },
  ]);
  collect(registry);
  const messages = new Counter({
    name: "agency_push_messages_total",
    help: "Messages of agencies by what they were",
    labelNames: ["agency", "outcome"],
    registers: [registry],
  });
  const floods = new Counter({
    name: "agency_push_floods_total",
    help: "How often an agency was left for a minute, as it sent too many messages",
    labelNames: ["agency"],
    registers: [registry],
  });
  const reconnections = new Counter({
    name: "agency_push_reconnections_total",
    help: "How often an agency that sends messages was connected again",
    labelNames: ["agency"],
    registers: [registry],
  });
  return {
    message: (agency, outcome) => messages.inc({ agency, outcome }),
    flooded: (agency) => floods.inc({ agency }),
    reconnected: (agency) => reconnections.inc({ agency }),
  };
}
