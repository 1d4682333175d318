import { useSignal } from "@preact/signals";
import { Link } from "wouter-preact";
import { has } from "../../api/session.ts";
import { count } from "../../ui/format.ts";
import { Cite } from "../versions/cite.tsx";
import { EditMenu } from "./edit-menu.tsx";
import { ExportMenu } from "./export-menu.tsx";
import type { Catalogue } from "./page.tsx";
import { searchOf, type WorkState } from "./url-state.ts";
import type { Change } from "./use-work-state.ts";
import { VersionOffer } from "./version-offer.tsx";

type HeadProps = {
  readonly catalogue: Catalogue;
  readonly state: WorkState;
  readonly change: Change;
  readonly reload: () => void;
};

/** A catalogue's name, its version and what can be done with it. */
export function Head({ catalogue, state, change, reload }: HeadProps) {
  const { id, name, is_public, version } = catalogue;
  const shown = state.asOf === null ? version : Number(state.asOf);
  const at = Number.isInteger(shown) ? shown : null;
  const isCited = useSignal(false);
  const goTo = (to: number) => change({ asOf: to >= version ? null : String(to) });
  return (
    <>
      <div class="page-head">
        <h1>{name}</h1>
        <span class="badge">{is_public ? "public" : "private"}</span>
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
          <span>
            Version {at === null ? state.asOf : count(at)} of {count(version)}
          </span>
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
        <nav class="row end" aria-label="This catalogue">
          <Link href={`/catalogues/${id}/versions`}>Versions</Link>
          <Link href={`/catalogues/${id}/analytics${searchOf(state)}`}>Analytics</Link>
          {at !== null && at > 0 && (
            <button type="button" class="plain link" onClick={() => (isCited.value = true)}>
              Cite
            </button>
          )}
          <ExportMenu catalogue={catalogue} state={state} />
          {has("editor") && state.asOf === null && (
            <EditMenu catalogue={catalogue} reload={reload} />
          )}
        </nav>
      </div>
      <VersionOffer catalogue={catalogue} reload={reload} />
      {isCited.value && at !== null && (
        <Cite catalogue={id} version={at} onClose={() => (isCited.value = false)} />
      )}
    </>
  );
}
