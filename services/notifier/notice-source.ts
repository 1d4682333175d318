import type { Notice } from "#contracts/notifications/notice.ts";

/** Stores a notice; when it resolves, the notice is safe and need not be repeated. */
export type TakeNotice = (notice: Notice) => Promise<void>;

/** The source of a notifier's notices: the broker, or the log itself without a broker. */
export type NoticeSource = {
  /**
   * Passes every notice to `take` at least once, in any order, until `signal` aborts. Waits during
   * outages of the source.
   */
  readonly run: (take: TakeNotice, signal: AbortSignal) => Promise<void>;
  /** A short state for readiness. */
  readonly state: () => "connected" | "disconnected" | "in process";
};
