import type { Notice } from "#contracts/notifications/notice.ts";

/** Takes a notice in; once it resolves, the notice is safe and need not come again. */
export type TakeNotice = (notice: Notice) => Promise<void>;

/** Where a notifier gets its notices from: the broker, or the log itself where there is none. */
export type NoticeSource = {
  /**
   * Gives every notice to `take` at least once, in any order, until `signal` aborts. Outages of the
   * source are waited out.
   */
  readonly run: (take: TakeNotice, signal: AbortSignal) => Promise<void>;
  /** In a few words, for readiness. */
  readonly state: () => "connected" | "disconnected" | "in process";
};
