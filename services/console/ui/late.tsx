import { useSignal } from "@preact/signals";
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect } from "preact/hooks";

type LateProps<P> = {
  /** Brings the part's scripts. */
  readonly load: () => Promise<ComponentType<P>>;
  readonly of: P;
  /** Holds its place until then. */
  readonly children?: ComponentChildren;
};

/** A part that comes after all else: its scripts are none of the first page's. Where they do not come, it is missing. */
export function Late<P extends object>({ load, of, children = null }: LateProps<P>) {
  const loaded = useSignal<{ readonly Part: ComponentType<P> } | null>(null);
  useEffect(() => {
    load().then(
      (Part) => {
        loaded.value = { Part };
      },
      () => undefined,
    );
  }, []);
  const Part = loaded.value?.Part;
  return Part ? <Part {...of} /> : children;
}
