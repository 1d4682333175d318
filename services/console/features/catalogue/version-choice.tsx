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
      {version > 1 && (
        <Step
          sign="‹"
          label="The version before"
          shortcut="["
          onClick={at === null || at <= 1 ? null : () => goTo(at - 1)}
        />
      )}
      <Menu text={text} onOpen={() => (isAsked.value = true)}>
        {isAsked.value && (
          <VersionMenu catalogue={catalogue} state={state} at={at} onVersion={goTo} />
        )}
      </Menu>
      {version > 1 && (
        <Step
          sign="›"
          label="The version after"
          shortcut="]"
          onClick={at === null || at >= version ? null : () => goTo(at + 1)}
        />
      )}
    </div>
  );
}

type StepProps = {
  readonly sign: string;
  readonly label: string;
  readonly shortcut: string;
  /** Null where there is no such version. */
  readonly onClick: (() => void) | null;
};

/** To the version beside the one that is shown. */
function Step({ sign, label, shortcut, onClick }: StepProps) {
  return (
    <button
      type="button"
      aria-label={label}
      data-shortcut={shortcut}
      disabled={onClick === null}
      onClick={() => onClick?.()}
    >
      {sign}
    </button>
  );
}
