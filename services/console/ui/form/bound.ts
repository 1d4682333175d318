import type { Signal } from "@preact/signals";

/** A field's value and what its change does, for what a signal holds. */
export function bound<T>(signal: Signal<T>) {
  return {
    value: signal.value,
    onValue: (value: T): void => {
      signal.value = value;
    },
  };
}
