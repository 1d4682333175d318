import { type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

type Size = { readonly width: number; readonly height: number };

/** How large an element is, pixels; nothing before it is there. */
export function useSize(element: RefObject<HTMLElement | null>): Signal<Size> {
  const size = useSignal<Size>({ width: 0, height: 0 });
  useEffect(() => {
    const seen = element.current;
    if (!seen) return;
    const resized = new ResizeObserver(() => {
      size.value = { width: seen.clientWidth, height: seen.clientHeight };
    });
    resized.observe(seen);
    return () => resized.disconnect();
  }, []);
  return size;
}
