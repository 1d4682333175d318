import { useEffect } from "preact/hooks";
import { isReachable } from "../api/connection.ts";
import { readSession } from "../api/session.ts";

const RETRY_MS = 5_000;

/** Tells that the service cannot be reached, and asks it again until it answers. */
export function ConnectionBar() {
  useEffect(() => {
    if (isReachable.value) return;
    const ask = () => void readSession().catch(() => undefined);
    const timer = setInterval(ask, RETRY_MS);
    addEventListener("online", ask);
    return () => {
      clearInterval(timer);
      removeEventListener("online", ask);
    };
  }, [isReachable.value]);
  if (isReachable.value) return null;
  return (
    <div class="bar warning" role="alert">
      The service cannot be reached. What is shown may be old; it is asked again every few seconds.
    </div>
  );
}
