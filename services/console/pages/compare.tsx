import { useSearch } from "wouter-preact";
import { bodyOf, CompareFields, formIn } from "../features/compare/compare-fields.tsx";
import { Comparison, useComparison } from "../features/compare/comparison.tsx";
import { problemOf } from "../ui/form/submit.tsx";
import { Empty } from "../ui/states.tsx";

/** Two catalogues by the earthquakes that both have; what is compared stands in the address. */
export function Page() {
  const search = useSearch();
  const form = formIn(new URLSearchParams(search));
  const body = search.includes("timeThreshold=") ? bodyOf(form) : null;
  const comparison = useComparison(body);
  return (
    <section class="page">
      <h1>Compare catalogues</h1>
      <CompareFields
        key={search}
        chosen={form}
        problemOf={(field) => problemOf(comparison.error, field)}
      />
      {!body && (
        <Empty
          title="Nothing is compared yet."
          text="You will see which earthquakes both catalogues have, how their times, places, depths and magnitudes differ, and lines that turn the magnitudes of one into those of the other."
        />
      )}
      {body && <Comparison key={search} body={body} comparison={comparison} />}
    </section>
  );
}
