import { Link, useSearchParams } from "wouter-preact";
import { DecisionsPart } from "../../features/merge/merged/decisions-part.tsx";
import { type MergedCatalogue, sourcesOf, useMerged } from "../../features/merge/merged/merged.ts";
import { NoMerge } from "../../features/merge/merged/no-merge.tsx";
import { OverviewPart } from "../../features/merge/merged/overview-part.tsx";
import { RefreshedPart } from "../../features/merge/merged/refreshed.tsx";
import type { PageProps } from "../../model/page-route.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { useMayChange } from "../../ui/call/use-may-change.ts";
import { Waiting } from "../../ui/call/waiting.tsx";
import { FailedPage, isGone } from "../../ui/failed-page.tsx";
import { count } from "../../ui/text/format.ts";
import { useTitle } from "../../ui/use-title.ts";

/** A merged catalogue's merge: its sources, its settings, what people have decided, and its refresh. */
export function Page({ params: { id = "" } }: PageProps) {
  const [query] = useSearchParams();
  // After a refresh the sources stand otherwise.
  const { last, error, reload } = useMerged(id, query.get("operation"));
  const loaded = last?.catalogue.id === id ? last : null;
  if (loaded === null || isGone(error)) {
    if (error === null) return <Waiting />;
    return <FailedPage title="Merge" error={error} retry={reload} />;
  }
  const { catalogue, merged } = loaded;
  return (
    <section class="page">
      <div class="page-head">
        <h1>Merge of {catalogue.name}</h1>
        <Link class="button quiet end" href={`/catalogues/${id}`}>
          Back to the catalogue
        </Link>
      </div>
      <ErrorNotice error={error} retry={reload} />
      {merged === null ? (
        <NoMerge />
      ) : (
        <Merge key={id} made={{ catalogue, merged }} reload={reload} />
      )}
    </section>
  );
}

type MergeProps = { readonly made: MergedCatalogue; readonly reload: () => void };

function Merge({ made, reload }: MergeProps) {
  const { catalogue, merged } = made;
  const [query, setQuery] = useSearchParams();
  const mayChange = useMayChange(catalogue);
  useTitle(`Merge of ${catalogue.name}`);
  const operation = query.get("operation");
  if (operation !== null) return <RefreshedPart catalogue={catalogue.id} operation={operation} />;
  const here = `/catalogues/${catalogue.id}/merge`;
  const isOfDecisions = query.get("tab") === "decisions";
  return (
    <>
      <nav class="tabs" aria-label="Parts of the merge">
        <Link href={here} aria-current={isOfDecisions ? undefined : "page"}>
          Sources and refresh
        </Link>
        <Link href={`${here}?tab=decisions`} aria-current={isOfDecisions ? "page" : undefined}>
          Decisions ({count(merged.decisions.length)})
        </Link>
        {mayChange && <Link href={`${here}/review`}>Review desk</Link>}
      </nav>
      {isOfDecisions ? (
        <DecisionsPart
          catalogue={catalogue.id}
          decisions={merged.decisions}
          sources={sourcesOf(made)}
          mayChange={mayChange}
          reload={reload}
        />
      ) : (
        <OverviewPart
          {...made}
          mayChange={mayChange}
          onStarted={(id) => setQuery({ operation: id })}
        />
      )}
    </>
  );
}
