import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Between two letters of somebody who types. */
const REST_MS = 250;

/** A value once it has stopped changing, so that the service is not asked at every key. */
export function useSettled<T>(value: T): T {
  const settled = useSignal(value);
  useEffect(() => {
    const timer = setTimeout(() => {
      settled.value = value;
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled.value;
}
