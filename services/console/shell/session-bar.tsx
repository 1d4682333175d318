import { useEffect } from "preact/hooks";
import { isReachable } from "../api/connection.ts";
import { readSession, sessionFailure, user } from "../api/session.ts";
import { sentenceOf } from "../ui/call/error-notice.tsx";
import { useSecondsLeft } from "../ui/call/use-seconds-left.ts";

const RETRY_MS = 5_000;

/** Tells that the service has not said who is signed in, and asks it again when it takes an answer. */
export function SessionBar() {
  const failure = user.value === undefined && isReachable.value ? sessionFailure.value : null;
  const left = useSecondsLeft(failure);
  useEffect(() => {
    if (failure === null || left > 0) return;
    const timer = setTimeout(() => void readSession().catch(() => undefined), RETRY_MS);
    return () => clearTimeout(timer);
  }, [failure, left > 0]);
  if (failure === null) return null;
  return (
    <div class="bar warning">
      <span role="alert">It is not known yet whether you are signed in: {sentenceOf(failure)}</span>{" "}
      {left > 0 ? `The service is asked again in ${left} s.` : "The service is asked again."}
    </div>
  );
}
