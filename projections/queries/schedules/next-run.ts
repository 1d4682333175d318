import { sql } from "slonik";

/** Longest wait after a failure. */
const MAX_WAIT_MINUTES = 1_440;

/** No wait is doubled more often; the longest is reached before. */
const MAX_DOUBLINGS = 11;

/**
 * When a schedule `s` with the state `t` runs next, an expression of type timestamptz: as long after the begin of its
 * last run, or its creation, as it is to wait; after failures twice as long for each, a day at most. Null while it
 * is paused.
 */
export const NEXT_RUN = sql.fragment`
  case when not s.paused then coalesce(t.again_at,
    coalesce(t.last_run, s.created_at) + interval '1 minute' * (
      case when coalesce(t.failures, 0) = 0 then s.every_minutes
      else least(s.every_minutes * 2 ^ least(t.failures, ${MAX_DOUBLINGS}), ${MAX_WAIT_MINUTES}) end))
  end`;
