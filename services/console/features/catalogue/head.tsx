import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Link } from "wouter-preact";
import { share } from "../../api/share.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { searchOf, type WorkState } from "../../model/work-state.ts";
import { AccessBadge } from "../../ui/access-badge.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { useMayChange } from "../../ui/call/use-may-change.ts";
import type { Cite } from "../../ui/cite.tsx";
import { Menu } from "../../ui/menu.tsx";
import { count } from "../../ui/text/format.ts";
import { useTitle } from "../../ui/use-title.ts";
import type { Change } from "../../ui/use-work-state.ts";
import type { CatalogueChange } from "./catalogue-change.ts";
import { EditMenu } from "./edit-menu.tsx";
import { ExportMenu } from "./export-menu.tsx";
import { VersionMenu } from "./version-menu.tsx";
import { VersionOffer } from "./version-offer.tsx";

type HeadProps = {
  readonly catalogue: Catalogue;
  readonly state: WorkState;
  /** How many events pass the filters; null until it is known. */
  readonly passing: number | null;
  readonly change: Change;
  readonly reload: () => void;
};

/** A catalogue's name, its version and what can be done with it. */
export function Head({ catalogue: loaded, state, passing, change, reload }: HeadProps) {
  // Only what was changed here: reading the catalogue anew would bring another version too.
  const changed = useSignal<CatalogueChange>({});
  useEffect(() => {
    changed.value = {};
  }, [loaded]);
  const catalogue = { ...loaded, ...changed.value };
  const { id, name, access, version } = catalogue;
  useTitle(name);
  const asOf = state.asOf === null ? version : Number(state.asOf);
  const at = Number.isInteger(asOf) ? asOf : null;
  const mayChange = useMayChange(catalogue);
  const cited = useSignal<{ readonly Cite: typeof Cite } | null>(null);
  // The window's code is loaded when it is opened.
  const cite = () => {
    import("../../ui/cite.tsx").then((file) => {
      cited.value = file;
    }, notice.error);
  };
  const CiteWindow = cited.value?.Cite;
  return (
    <>
      <div class="page-head">
        <h1>{name}</h1>
        <AccessBadge access={access} />
        {version > 0 && (
          <VersionChoice catalogue={catalogue} state={state} at={at} change={change} />
        )}
        <nav class="row end" aria-label="This catalogue">
          {share === null && (
            <Link class="button quiet" href={`/catalogues/${id}/versions`}>
              Versions
            </Link>
          )}
          <Link class="button quiet" href={`/catalogues/${id}/analytics${searchOf(state)}`}>
            Analytics
          </Link>
          {share === null && catalogue.merge_config !== null && (
            <Link class="button quiet" href={`/catalogues/${id}/merge`}>
              Merge
            </Link>
          )}
          {at !== null && at > 0 && (
            <button type="button" class="quiet" onClick={cite}>
              Cite
            </button>
          )}
          <ExportMenu catalogue={catalogue} state={state} passing={passing} />
          {mayChange && at === version && (
            <EditMenu
              catalogue={catalogue}
              filters={state.filters}
              onChanged={(change) => (changed.value = { ...changed.value, ...change })}
            />
          )}
        </nav>
      </div>
      <VersionOffer
        catalogue={catalogue}
        onShow={() => {
          change({ asOf: null });
          reload();
        }}
      />
      {CiteWindow && at !== null && (
        <CiteWindow
          catalogue={id}
          version={at}
          filters={state.filters}
          onClose={() => (cited.value = null)}
        />
      )}
    </>
  );
}

type VersionChoiceProps = {
  readonly catalogue: Catalogue;
  readonly state: WorkState;
  /** The number of the version that is shown; null where it was asked for by a time. */
  readonly at: number | null;
  readonly change: Change;
};

/** Which version is shown: the ones beside it, and a list of all. */
function VersionChoice({ catalogue, state, at, change }: VersionChoiceProps) {
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
