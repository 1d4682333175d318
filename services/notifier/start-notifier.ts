import { takeNotice } from "#infra/brokers/notifications.ts";
import { createWakeUp, supervise, type WakeUp } from "#infra/kernel/waiting.ts";
import type { AttemptDeps } from "./attempt-delivery.ts";
import { deliverDue } from "./deliver-due.ts";
import type { NoticeSource } from "./notice-source.ts";

/** How often a notifier checks for notices stored by others and for due retries. */
const POLL_MS = 1_000;

export type NotifierDeps = AttemptDeps & {
  readonly source: NoticeSource;
  /** Called when the log has an event that this version cannot pass on. */
  readonly onFatal: (error: unknown) => void;
};

export type Notifier = {
  /** State of the connection to the broker, for readiness. */
  readonly state: NoticeSource["state"];
  /** Finishes running deliveries, which their time-outs bound. */
  readonly close: () => Promise<void>;
};

/**
 * Stores notices and delivers due notifications. Several notifiers share the work: each notification
 * is claimed by one of them.
 */
export function startNotifier(deps: NotifierDeps): Notifier {
  const { source, pool, now, onFatal } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const arrival = createWakeUp();
  const taking = source.run(async (notice) => {
    await takeNotice(pool, notice, now());
    arrival.wake();
  }, signal);
  const delivering = keepDelivering(deps, arrival, signal);
  const running = Promise.all([taking, delivering].map((work) => work.catch(onFatal)));
  return {
    state: source.state,
    close: async () => {
      stopping.abort();
      await running;
    },
  };
}

function keepDelivering(deps: AttemptDeps, arrival: WakeUp, signal: AbortSignal): Promise<void> {
  return supervise(
    async (progressed) => {
      while (!signal.aborted) {
        const version = arrival.version();
        await deliverDue(deps, signal);
        progressed();
        await arrival.wait(version, POLL_MS, signal);
      }
    },
    { signal, logger: deps.logger, name: "deliveries" },
  );
}
