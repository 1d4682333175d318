import type { Pool } from "pg";
import type { DatabasePool } from "slonik";
import type { Readings } from "./gauges.ts";

/** The state of a pool of database connections. */
export type PoolUse = {
  readonly active: number;
  readonly idle: number;
  /** Requests waiting for a connection. */
  readonly waiting: number;
};

export function useOfDatabase(pool: DatabasePool): PoolUse {
  const { acquiredConnections, idleConnections, waitingClients } = pool.state();
  return { active: acquiredConnections, idle: idleConnections, waiting: waitingClients };
}

export function useOfPgPool({ totalCount, idleCount, waitingCount }: Pool): PoolUse {
  return { active: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
}

export function useOfBoth(one: PoolUse, other: PoolUse): PoolUse {
  return {
    active: one.active + other.active,
    idle: one.idle + other.idle,
    waiting: one.waiting + other.waiting,
  };
}

/** By the pool's name; absent when its part of the service does not run in this process. */
export type PoolUses = ReadonlyMap<string, () => PoolUse>;

export function connectionReadings(uses: PoolUses): Readings {
  return [...uses].flatMap(([pool, use]) => {
    const { active, idle } = use();
    return [
      { labels: { pool, state: "active" }, value: active },
      { labels: { pool, state: "idle" }, value: idle },
    ];
  });
}

export function waitingReadings(uses: PoolUses): Readings {
  return [...uses].map(([pool, use]) => ({ labels: { pool }, value: use().waiting }));
}
