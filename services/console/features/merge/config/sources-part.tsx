import type { Signal } from "@preact/signals";
import { Waiting } from "../../../ui/call.tsx";
import { CatalogueSearchField, useCatalogueSearch } from "../../../ui/form/catalogue-choice.tsx";
import { Checkbox, Field } from "../../../ui/form/fields.tsx";
import { useDraft } from "../../../ui/form/use-draft.ts";
import { ButtonLink, Empty, Panel } from "../../../ui/page.tsx";
import { Table } from "../../../ui/table.tsx";
import { count, counted } from "../../../ui/text/format.ts";
import { type MergeForm, NEW_FORM, type Source, toggleSource } from "./config.ts";

type SourcesPartProps = {
  readonly sources: readonly Source[];
  readonly problemOf: (field: string) => string | undefined;
  readonly onSources: (sources: readonly Source[]) => void;
};

/** The catalogues to merge, in their order, each with the label of where its events come from. */
export function SourcesPart({ sources, problemOf, onSources }: SourcesPartProps) {
  const search = useCatalogueSearch();
  const problem = problemOf("sourceCatalogues");
  return (
    <Panel title="Sources" aria-label="Sources">
      <p class="muted">
        Their order, as you choose them, decides where nothing else does. Each event keeps the label
        of the catalogue that it comes from.
      </p>
      {sources.length > 0 && (
        <div class="field-grid wide">
          {sources.map(({ id, name, label, events }, index) => (
            <Field
              key={id}
              label={`Label of ${name}`}
              hint={counted(events, "event")}
              value={label}
              problem={problemOf(`sourceCatalogues.${index}.source`)}
              onValue={(typed) =>
                onSources(sources.map((one) => (one.id === id ? { ...one, label: typed } : one)))
              }
            />
          ))}
        </div>
      )}
      {problem !== undefined && <p class="problem">{problem}</p>}
      <div class="list-filters">
        <CatalogueSearchField search={search} />
      </div>
      {search.list === null && search.error === null && <Waiting />}
      {search.list?.total === 0 && search.text.trim() === "" && (
        <Empty
          title="There are no catalogues yet"
          text="A merge takes two or more catalogues and makes a new one, with each earthquake once."
        >
          <ButtonLink href="/import" text="Import events" />
          <ButtonLink href="/upload" text="Upload a file" />
        </Empty>
      )}
      {search.list !== null && search.list.total > 0 && (
        <div class="source-list">
          <Table
            label="Catalogues"
            rows={search.list.catalogues}
            columns={[
              [
                "Name",
                ({ id, name, event_count: events, version }) => (
                  <Checkbox
                    checked={sources.some((source) => source.id === id)}
                    disabled={version === 0}
                    onChecked={() =>
                      onSources(toggleSource(sources, { id, name, label: name, events }))
                    }
                  >
                    {name}
                  </Checkbox>
                ),
              ],
              ["Events", (one) => count(one.event_count), "number"],
              ["Version", ({ version }) => count(version), "number"],
            ]}
          />
        </div>
      )}
    </Panel>
  );
}

/** What is entered for a new merge. */
export type Entries = {
  readonly form: MergeForm;
  readonly name: string;
  /** Its preview has been seen: after a reload it is asked for again. */
  readonly isPreviewed: boolean;
};

export const NO_ENTRIES: Entries = { form: NEW_FORM, name: "", isPreviewed: false };

/** The entries of the tab, which the pages of a merge and of its thresholds share. */
export function useEntries(): Signal<Entries> {
  return useDraft<Entries>("new merge", NO_ENTRIES);
}
