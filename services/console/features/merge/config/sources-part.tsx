import type { Signal } from "@preact/signals";
import { Link } from "wouter-preact";
import {
  type CatalogueSearch,
  CatalogueSearchField,
  useCatalogueSearch,
} from "../../../ui/form/catalogue-choice.tsx";
import { Field } from "../../../ui/form/field.tsx";
import { Checkbox } from "../../../ui/form/inputs.tsx";
import { useDraft } from "../../../ui/form/use-draft.ts";
import { Empty, Waiting } from "../../../ui/states.tsx";
import { Table } from "../../../ui/table.tsx";
import { count, counted } from "../../../ui/text/format.ts";
import { type MergeForm, NEW_FORM, type Source, toggleSource } from "./merge-body.ts";

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
    <section class="panel" aria-label="Sources">
      <h2>Sources</h2>
      <p class="muted">
        Their order, as you choose them, decides where nothing else does. Each event keeps the label
        of the catalogue that it comes from.
      </p>
      {sources.length > 0 && (
        <Chosen sources={sources} problemOf={problemOf} onSources={onSources} />
      )}
      {problem !== undefined && <p class="problem">{problem}</p>}
      <div class="list-filters">
        <CatalogueSearchField search={search} />
      </div>
      {search.list === null ? (
        search.error === null && <Waiting />
      ) : (
        <Found list={search.list} search={search} sources={sources} onSources={onSources} />
      )}
    </section>
  );
}

function Chosen({ sources, problemOf, onSources }: SourcesPartProps) {
  const relabel = (id: string, label: string) =>
    onSources(sources.map((source) => (source.id === id ? { ...source, label } : source)));
  return (
    <div class="field-grid wide">
      {sources.map(({ id, name, label, events }, index) => (
        <Field
          key={id}
          label={`Label of ${name}`}
          hint={counted(events, "event")}
          value={label}
          problem={problemOf(`sourceCatalogues.${index}.source`)}
          onValue={(value) => relabel(id, value)}
        />
      ))}
    </div>
  );
}

type FoundProps = Omit<SourcesPartProps, "problemOf"> & {
  readonly list: NonNullable<CatalogueSearch["list"]>;
  readonly search: CatalogueSearch;
};

function Found({ list, search, sources, onSources }: FoundProps) {
  if (list.total === 0 && search.text.trim() !== "") return null;
  if (list.total === 0) {
    return (
      <Empty
        title="There are no catalogues yet"
        text="A merge takes two or more catalogues and makes a new one, with each earthquake once."
      >
        <Link class="button" href="/import">
          Import events
        </Link>
        <Link class="button" href="/upload">
          Upload a file
        </Link>
      </Empty>
    );
  }
  return (
    <div class="source-list">
      <Table label="Catalogues" columns={["Name", { number: "Events" }, { number: "Version" }]}>
        {list.catalogues.map(({ id, name, event_count: events, version }) => (
          <tr key={id}>
            <td>
              <Checkbox
                checked={sources.some((source) => source.id === id)}
                disabled={version === 0}
                onChecked={() =>
                  onSources(toggleSource(sources, { id, name, label: name, events }))
                }
              >
                {name}
              </Checkbox>
            </td>
            <td class="number">{count(events)}</td>
            <td class="number">{count(version)}</td>
          </tr>
        ))}
      </Table>
    </div>
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
