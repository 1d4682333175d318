/**
 * What a gateway measures of the log, the read models and what it depends on, and the address at
 * which a process serves its metrics.
 */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";
import type { CommonQueryMethods } from "slonik";
import { ANALYTICS, RELAYS } from "#contracts/events/log.ts";
import type { CircuitState } from "#infra/agency/http/exchange.ts";
import { alertCounts, notificationCounts } from "#infra/brokers/notifications.ts";
import { findFeedCheckpoint, findRefusal, relayPositions } from "#infra/brokers/relay.ts";
import type { EventLog, Position } from "#infra/log/event-log.ts";
import { connectionReadings, type PoolUses, waitingReadings } from "#infra/postgres/pool.ts";
import { type Collector, gauges, type Readings } from "#infra/process/metrics.ts";
import { type ProjectionState, projectionStates } from "#projections/engine/progress.ts";
import { openRevisions } from "#projections/read/edits.ts";

export type ServiceMetricsDeps = {
  readonly pool: CommonQueryMethods;
  readonly log: Pick<EventLog, "head"> & { readonly ordinal: (position: Position) => number };
  /** By the name of what is asked. */
  readonly circuits: () => Promise<Readonly<Record<string, CircuitState>>>;
  readonly pools: PoolUses;
};

const CIRCUIT_STATES: Record<CircuitState, number> = { CLOSED: 0, HALF_OPEN: 1, OPEN: 2 };

type LagOf = () => Promise<(position: Position) => number>;

/** The gateway's metrics of the log, the projections and the service's dependencies. */
export function serviceMetrics(deps: ServiceMetricsDeps): readonly Collector[] {
  const { log } = deps;
  /** How far positions are behind the head; a checkpoint is read later and may be beyond it. */
  const lagBehindHead: LagOf = async () => {
    const head = log.ordinal(await log.head());
    return (position) => Math.max(0, head - log.ordinal(position));
  };
  return [
    ofLog(deps, lagBehindHead),
    ofDependencies(deps),
    ofNotifications(deps, lagBehindHead),
    ofAlerts(deps, lagBehindHead),
    ofFeeds(deps, lagBehindHead),
  ];
}

function ofLog({ pool, log }: ServiceMetricsDeps, lagBehindHead: LagOf): Collector {
  const byProjection = async (value: (state: ProjectionState) => number): Promise<Readings> =>
    (await projectionStates(pool)).map((state) => ({
      labels: { projection: state.projection },
      value: value(state),
    }));
  return gauges([
    {
      name: "event_log_head_position",
      help: "Number of the last readable event of the log",
      read: async () => [{ value: log.ordinal(await log.head()) }],
    },
    {
      name: "projection_lag_events",
      help: "Numbers of the log that a projection has not yet looked at",
      labels: ["projection"],
      read: async () => {
        const lag = await lagBehindHead();
        return byProjection(({ position }) => lag(position as Position));
      },
    },
    {
      name: "projection_last_progress_timestamp_seconds",
      help: "When a projection last moved its checkpoint, Unix time",
      labels: ["projection"],
      read: () => byProjection(({ updatedAt }) => Date.parse(updatedAt) / 1_000),
    },
    {
      name: "projection_parked_events",
      help: "Events that a projection has set aside because it could not apply them",
      labels: ["projection"],
      read: () => byProjection(({ parked }) => parked),
    },
  ]);
}

function ofDependencies({ pool, circuits, pools }: ServiceMetricsDeps): Collector {
  return gauges([
    {
      name: "circuit_breaker_state",
      help: "0 closed, 1 half-open, 2 open",
      labels: ["circuit"],
      read: async () =>
        Object.entries(await circuits()).map(([circuit, state]) => ({
          labels: { circuit },
          value: CIRCUIT_STATES[state],
        })),
    },
    {
      name: "catalogue_open_revisions",
      help: "Revisions of catalogues that are being written",
      read: async () => [{ value: (await openRevisions(pool)).length }],
    },
    {
      name: "database_pool_connections",
      help: "Connections to PostgreSQL",
      labels: ["pool", "state"],
      read: () => connectionReadings(pools),
    },
    {
      name: "database_pool_waiting_requests",
      help: "Requests that wait for a connection to PostgreSQL",
      labels: ["pool"],
      read: () => waitingReadings(pools),
    },
  ]);
}

function ofNotifications({ pool }: ServiceMetricsDeps, lagBehindHead: LagOf): Collector {
  return gauges([
    {
      name: "notification_queue_length",
      help: "Notifications by how far their delivery is",
      labels: ["status"],
      read: async () =>
        Object.entries(await notificationCounts(pool)).map(([status, value]) => ({
          labels: { status },
          value,
        })),
    },
    {
      name: "notification_relay_lag_events",
      help: "Numbers of the log that a relay of notifications has not yet looked at",
      labels: ["relay"],
      read: async () => {
        const lag = await lagBehindHead();
        const relays = await relayPositions(pool, [RELAYS.publisher, RELAYS.notifier]);
        return relays.map(({ relay, position }) => ({ labels: { relay }, value: lag(position) }));
      },
    },
  ]);
}

function ofAlerts({ pool }: ServiceMetricsDeps, lagBehindHead: LagOf): Collector {
  const byStatus = async (name: "count" | "oldestSeconds"): Promise<Readings> =>
    (await alertCounts(pool, new Date())).map((one) => ({
      labels: { status: one.status },
      value: one[name],
    }));
  return gauges([
    {
      name: "alert_messages",
      help: "Messages of alerts of the last 30 days by how far their delivery is",
      labels: ["status"],
      read: () => byStatus("count"),
    },
    {
      name: "alert_oldest_message_seconds",
      help: "Age of the oldest message of alerts, by how far its delivery is",
      labels: ["status"],
      read: () => byStatus("oldestSeconds"),
    },
    {
      name: "alerts_lag_events",
      help: "Numbers of the log of which alerts have not yet told",
      read: async () => {
        const lag = await lagBehindHead();
        const checkpoint = await findFeedCheckpoint(pool, RELAYS.alerts);
        return checkpoint === null ? [] : [{ value: lag(checkpoint.position) }];
      },
    },
  ]);
}

function ofFeeds({ pool }: ServiceMetricsDeps, lagBehindHead: LagOf): Collector {
  return gauges([
    {
      name: "changes_lag_events",
      help: "Numbers of the log that the stream of changes at NATS has not yet acknowledged",
      read: async () => {
        const lag = await lagBehindHead();
        const relays = await relayPositions(pool, [RELAYS.changes]);
        return relays.map(({ position }) => ({ value: lag(position) }));
      },
    },
    {
      name: "analytics_lag_events",
      help: "Numbers of the log that Kafka has not yet acknowledged",
      read: async () => {
        const lag = await lagBehindHead();
        const checkpoint = await findFeedCheckpoint(pool, ANALYTICS.feed);
        return checkpoint === null ? [] : [{ value: lag(checkpoint.position) }];
      },
    },
    {
      name: "analytics_refused_message_bytes",
      help: "Size of a message that Kafka refuses, which holds the feed back; absent without one",
      labels: ["topic", "limit"],
      read: async () => {
        const refusal = await findRefusal(pool, ANALYTICS.feed);
        if (refusal === null) return [];
        const { topic, bytes, limit } = refusal;
        return [{ labels: { topic, limit: String(limit ?? "unknown") }, value: bytes }];
      },
    },
  ]);
}

/**
 * Serves `GET /metrics` of this process to whoever reaches the address, and nothing else.
 * @returns where, and how it ends
 */
export async function serveMetrics(
  { host, port }: { readonly host: string; readonly port: number },
  registry: Pick<Registry, "metrics" | "contentType">,
): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer(async ({ method, url }, response) => {
    if (method !== "GET" || url?.split("?")[0] !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    try {
      const text = await registry.metrics();
      response.setHeader("content-type", registry.contentType).end(text);
    } catch {
      response.writeHead(500).end();
    }
  });
  server.requestTimeout = 5_000;
  server.maxConnections = 16;
  server.listen(port, host);
  await once(server, "listening");
  const { port: actual } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://${host.includes(":") ? `[${host}]` : host}:${actual}/metrics`, close };
}
