import type { Logger } from "pino";
import { supervise } from "#infra/lifecycle/supervise.ts";
import { consumeNotices } from "#infra/nats/consume-notices.ts";
import { openNatsSession } from "#infra/nats/nats-session.ts";
import { ensureNoticeConsumer, ensureNoticeStream } from "#infra/nats/notice-stream.ts";
import type { NoticeSource, TakeNotice } from "./notice-source.ts";

export type BrokerSourceDeps = {
  readonly natsUrl: string;
  /** How long a notifier may have a message before another gets it. */
  readonly ackWaitMs: number;
  readonly logger: Logger;
};

/** The broker as the source of notices; every notifier takes a share. */
export function createBrokerSource({ natsUrl, ackWaitMs, logger }: BrokerSourceDeps): NoticeSource {
  let state: ReturnType<NoticeSource["state"]> = "disconnected";

  async function consume(
    take: TakeNotice,
    signal: AbortSignal,
    progressed: () => void,
  ): Promise<void> {
    const session = await openNatsSession(natsUrl, "notifier");
    try {
      const manager = await session.connection.jetstreamManager();
      await ensureNoticeStream(manager);
      await ensureNoticeConsumer(manager, ackWaitMs);
      state = "connected";
      const consumer = { take, logger, onProgress: progressed };
      const ending = AbortSignal.any([signal, session.lost]);
      await consumeNotices(session.connection.jetstream(), consumer, ending);
    } finally {
      state = "disconnected";
      await session.close();
    }
  }

  return {
    run: (take, signal) =>
      supervise((progressed) => consume(take, signal, progressed), {
        signal,
        logger,
        name: "notices from the broker",
      }),
    state: () => state,
  };
}
