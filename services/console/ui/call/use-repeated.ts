import { useEffect, useRef } from "preact/hooks";

/** Does something again and again while the page can be seen, and at once when it is seen again. */
export function useRepeated(everyMs: number, act: () => void): void {
  // What is done is that of the last rendering, not of the first.
  const last = useRef(act);
  last.current = act;
  useEffect(() => {
    const run = () => last.current();
    let timer = 0;
    const stop = () => clearInterval(timer);
    const start = () => {
      stop();
      timer = setInterval(run, everyMs);
    };
    const onVisibility = () => {
      if (document.hidden) return stop();
      run();
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
