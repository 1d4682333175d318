import { useEffect } from "preact/hooks";

/** Does something again and again while the page can be seen, and at once when it is seen again. */
export function useRepeated(everyMs: number, act: () => void): void {
  useEffect(() => {
    let timer = 0;
    const stop = () => clearInterval(timer);
    const start = () => {
      stop();
      timer = setInterval(act, everyMs);
    };
    const onVisibility = () => {
      if (document.hidden) return stop();
      act();
      start();
    };
    if (!document.hidden) start();
    document.addEventListener("visibilitychange", onVisibility);
    return () => {
      stop();
      document.removeEventListener("visibilitychange", onVisibility);
    };
  }, [everyMs]);
}
