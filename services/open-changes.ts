import { openPart } from "./open-part.ts";
import type { FeedState, PartOptions } from "./service-options.ts";

/** Starts the stream of changes, if this process publishes and NATS is configured. */
export async function openChanges(options: PartOptions): Promise<FeedState> {
  const { config, databaseUrl, openSocket, log, lifecycle, onFatal } = options;
  const { natsUrl, natsReplicas, publicBaseUrl, roles } = config;
  if (natsUrl === null || !roles.has("publisher")) return () => null;
  const { pool, logger } = await openPart(options, "changes", 2);
  // The client is loaded only when NATS is configured: it is 5 MiB.
  const { startChanges } = await import("./publisher/start-changes.ts");
  const publisher = startChanges({
    databaseUrl,
    openSocket,
    log,
    pool,
    natsUrl,
    natsReplicas,
    publicBaseUrl,
    logger,
    onFatal,
  });
  lifecycle.onClose("changes", publisher.close, { atOnce: true });
  return publisher.state;
}
