import { Moment } from "../../../ui/text/moment.tsx";
import type { Merged } from "./merged.ts";

/** How a merge that keeps itself up fares; nothing of one that does not. */
export function FollowLine({ follow }: Pick<Merged, "follow">) {
  if (!follow) return null;
  const { parked, failures, error, last_run } = follow;
  if (parked) {
    return (
      <div class="notice error" role="alert">
        <span>
          It no longer refreshes by itself: it failed {failures} times, the last time because{" "}
          {error ?? "of an unknown fault"}. A refresh by hand that succeeds sets it going again.
        </span>
      </div>
    );
  }
  return (
    <p class="muted">
      It refreshes by itself when a source changes
      {last_run !== null && (
        <>
          , last <Moment at={last_run} />
        </>
      )}
      .{failures > 0 && error !== null && ` The last attempt failed: ${error}.`}
    </p>
  );
}
