import type { JetStreamManager, PeerInfo, StreamInfo } from "nats";
import { sleep } from "../kernel/backoff.ts";

/** Servers of the cluster are away, or take long to copy a stream. */
export class NotReplicated extends Error {
  override readonly name = "NotReplicated";
}

const ASK_EVERY_MS = 200;
const PATIENCE_MS = 60_000;

/**
 * Waits until all servers that are to keep a stream have what it holds, or most of them, without
 * which the cluster may lose what it acknowledges. Returns early when `signal` aborts.
 * @throws NotReplicated after a minute
 */
export async function untilReplicated(
  { streams }: JetStreamManager,
  name: string,
  wanted: "all" | "most",
  signal: AbortSignal,
): Promise<void> {
  const timeout = AbortSignal.timeout(PATIENCE_MS);
  while (!signal.aborted) {
    const info = await streams.info(name);
    const { num_replicas: replicas } = info.config;
    const least = wanted === "all" ? replicas : Math.floor(replicas / 2) + 1;
    const current = currentServers(info);
    if (current >= least) return;
    if (timeout.aborted) {
      throw new NotReplicated(
        `${current} of the ${replicas} servers that keep ${name} have it whole`,
      );
    }
    await sleep(ASK_EVERY_MS, signal);
  }
}

function currentServers({ cluster, config }: StreamInfo): number {
  if (config.num_replicas === 1) return 1;
  if (!cluster?.leader) return 0;
  const others = cluster.replicas ?? [];
  return 1 + others.filter((peer) => peer.name !== cluster.leader && isCurrent(peer)).length;
}

/** A server that was just named counts as current before the leader has heard of it. */
function isCurrent({ current, offline, active, lag = 0 }: PeerInfo): boolean {
  return current && !offline && active > 0 && lag === 0;
}
