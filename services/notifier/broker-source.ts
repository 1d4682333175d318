import type { Logger } from "pino";
import { consumeNotices, openNatsSession, openNoticeConsumer } from "#infra/brokers/nats.ts";
import { supervise } from "#infra/kernel/waiting.ts";
import type { NoticeSource, TakeNotice } from "./start-notifier.ts";

export type BrokerSourceDeps = {
  readonly natsUrl: string;
  readonly logger: Logger;
};

/**
 * The broker as the source of notices, shared by all notifiers. Until the publisher has prepared the
 * broker there are no notices.
 */
export function createBrokerSource({ natsUrl, logger }: BrokerSourceDeps): NoticeSource {
  let state: ReturnType<NoticeSource["state"]> = "disconnected";

  async function consume(
    take: TakeNotice,
    signal: AbortSignal,
    progressed: () => void,
  ): Promise<void> {
    const session = await openNatsSession(natsUrl, "notifier");
    try {
      const consumer = await openNoticeConsumer(session.connection);
      state = "connected";
      const deps = { take, logger, onProgress: progressed };
      await consumeNotices(consumer, deps, AbortSignal.any([signal, session.lost]));
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
