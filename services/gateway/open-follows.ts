import { Counter, type Registry } from "prom-client";
import { gauges } from "#infra/metrics/gauges.ts";
import { followFigures } from "#projections/queries/merges/merge-follows.ts";
import {
  createFollower,
  type Follower,
  type FollowerDeps,
} from "#services/commands/merge/follow/follower.ts";

const POLL_MS = 2_000;

type OpenFollowsDeps = Omit<FollowerDeps, "onOutcome" | "pollMs"> & {
  readonly registry: Registry;
};

/** Opens what refreshes merges by themselves in this process, with its metrics. */
export function openFollows({ registry, ...deps }: OpenFollowsDeps): Follower {
  const runs = new Counter({
    name: "merge_follow_runs_total",
    help: "Refreshes that merges had by themselves in this process by how they ended",
    labelNames: ["outcome"],
    registers: [registry],
  });
  const figures = () => followFigures(deps.context.pool);
  const collect = gauges([
    {
      name: "merges_behind",
      help: "Merges that are refreshed by themselves and behind a source",
      read: async () => [{ value: (await figures()).behind }],
    },
    {
      name: "merges_parked",
      help: "Merges that are not refreshed by themselves any more after failures in a row",
      read: async () => [{ value: (await figures()).parked }],
    },
  ]);
  collect(registry);
  const onOutcome: FollowerDeps["onOutcome"] = (outcome) => runs.inc({ outcome });
  return createFollower({ ...deps, onOutcome, pollMs: POLL_MS });
}
