import { Waiting } from "../../ui/call/waiting.tsx";
import { CatalogueSearchField, useCatalogueSearch } from "../../ui/form/catalogue-choice.tsx";
import { Checkbox } from "../../ui/form/checkbox.tsx";

type CataloguesPartProps = {
  /** Ids. */
  readonly chosen: readonly string[];
  readonly problem: string | undefined;
  readonly onChosen: (chosen: readonly string[]) => void;
};

/** The only catalogues that a token has. */
export function CataloguesPart({ chosen, problem, onChosen }: CataloguesPartProps) {
  const search = useCatalogueSearch();
  const toggle = (id: string) =>
    onChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <fieldset class="stack">
      <legend class="visually-hidden">Its catalogues</legend>
      <CatalogueSearchField search={search} />
      {search.list === null && search.error === null && <Waiting />}
      <div class="choice-list">
        {search.list?.catalogues.map(({ id, name }) => (
          <Checkbox key={id} checked={chosen.includes(id)} onChecked={() => toggle(id)}>
            {name}
          </Checkbox>
        ))}
      </div>
      {problem !== undefined && <p class="problem">{problem}</p>}
    </fieldset>
  );
}
