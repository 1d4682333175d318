import { useSignal } from "@preact/signals";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Field } from "../../ui/field.tsx";
import { count } from "../../ui/format.ts";
import { ScrollArea } from "../../ui/scroll-area.tsx";
import { Waiting } from "../../ui/waiting.tsx";
import { type CatalogueList, useCatalogues } from "../catalogue-choice.tsx";
import { type Source, toggleSource } from "./merge-body.ts";

type SourcesPartProps = {
  readonly sources: readonly Source[];
  readonly onSources: (sources: readonly Source[]) => void;
};

/** The catalogues to merge, in their order, each with the label of where its events come from. */
export function SourcesPart({ sources, onSources }: SourcesPartProps) {
  const search = useSignal("");
  const { answer, error, reload } = useCatalogues(search.value);
  const list = answer.value;
  return (
    <section class="panel" aria-label="Sources">
      <h2>Sources</h2>
      {sources.length > 0 && <Chosen sources={sources} onSources={onSources} />}
      <div class="list-filters">
        <Field
          label="Part of the name"
          type="search"
          value={search.value}
          onValue={(text) => {
            search.value = text;
          }}
        />
      </div>
      {error.value !== null && <ErrorNotice error={error.value} retry={reload} />}
      {list === null ? (
        error.value === null && <Waiting />
      ) : (
        <Found list={list} sources={sources} onSources={onSources} />
      )}
    </section>
  );
}

function Chosen({ sources, onSources }: SourcesPartProps) {
  const relabel = (id: string, label: string) =>
    onSources(sources.map((source) => (source.id === id ? { ...source, label } : source)));
  return (
    <div class="field-grid wide">
      {sources.map(({ id, name, label, events }) => (
        <Field
          key={id}
          label={`Label of ${name}`}
          hint={`${count(events)} events`}
          value={label}
          onValue={(value) => relabel(id, value)}
        />
      ))}
    </div>
  );
}

type FoundProps = SourcesPartProps & { readonly list: CatalogueList };

function Found({ list, sources, onSources }: FoundProps) {
  if (list.total === 0) return <p>No catalogue’s name has that in it.</p>;
  return (
    <>
      <div class="source-list">
        <ScrollArea label="Catalogues">
          <table>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col" class="number">
                  Events
                </th>
                <th scope="col" class="number">
                  Version
                </th>
              </tr>
            </thead>
            <tbody>
              {list.catalogues.map(({ id, name, event_count: events, version }) => (
                <tr key={id}>
                  <td>
                    <label class="inline">
                      <input
                        type="checkbox"
                        checked={sources.some((source) => source.id === id)}
                        disabled={version === 0}
                        onChange={() =>
                          onSources(toggleSource(sources, { id, name, label: name, events }))
                        }
                      />
                      {name}
                    </label>
                  </td>
                  <td class="number">{count(events)}</td>
                  <td class="number">{count(version)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollArea>
      </div>
      {list.total > list.catalogues.length && (
        <p class="muted">
          The newest {count(list.catalogues.length)} of {count(list.total)}.
        </p>
      )}
    </>
  );
}
