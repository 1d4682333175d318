import { useSignal } from "@preact/signals";
import type { Catalogue } from "../../model/catalogue.ts";
import type { WorkState } from "../../model/work-state.ts";
import { Menu } from "../../ui/menu.tsx";
import { count } from "../../ui/text/format.ts";
import type { Change } from "../../ui/use-work-state.ts";
import { VersionMenu } from "./version-menu.tsx";

type VersionChoiceProps = {
  readonly catalogue: Catalogue;
  readonly state: WorkState;
  /** The number of the version that is shown; null where it was asked for by a time. */
  readonly at: number | null;
  readonly change: Change;
};

/** Which version is shown: the ones beside it, and a list of all. */
export function VersionChoice({ catalogue, state, at, change }: VersionChoiceProps) {
  const { version } = catalogue;
  const isAsked = useSignal(false);
  const goTo = (to: number) => change({ asOf: to >= version ? null : String(to) });
  const text =
    at === null
      ? `Version of ${state.asOf}`
      : at >= version
        ? `Version ${count(version)} (latest)`
        : `Version ${count(at)} of ${count(version)}`;
  return (
    <div class="row">
      <button
        type="button"
        aria-label="The version before"
        data-shortcut="["
        disabled={at === null || at <= 1}
        onClick={() => at !== null && goTo(at - 1)}
      >
        ‹
      </button>
      <Menu text={text} onOpen={() => (isAsked.value = true)}>
        {isAsked.value && (
          <VersionMenu catalogue={catalogue} state={state} at={at} onVersion={goTo} />
        )}
      </Menu>
      <button
        type="button"
        aria-label="The version after"
        data-shortcut="]"
        disabled={at === null || at >= version}
        onClick={() => at !== null && goTo(at + 1)}
      >
        ›
      </button>
    </div>
  );
}
