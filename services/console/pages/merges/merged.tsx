import { Link, useSearchParams } from "wouter-preact";
import type { AnswerOf } from "../../api/call.ts";
import { DecisionsPart } from "../../features/merge/merged/decisions-part.tsx";
import {
  type MergedCatalogue,
  NoMerge,
  sourcesOf,
  useMerged,
} from "../../features/merge/merged/merged.tsx";
import { OverviewPart } from "../../features/merge/merged/overview-part.tsx";
import { type Operation, OperationView } from "../../jobs/operation.tsx";
import { ErrorNotice } from "../../ui/call.tsx";
import { useMayChange } from "../../ui/catalogue-page.tsx";
import {
  ButtonLink,
  Frame,
  isGone,
  type PageProps,
  Panel,
  Unread,
  useTitle,
} from "../../ui/page.tsx";
import { count, toldChanges } from "../../ui/text/format.ts";

/** A merged catalogue's merge: its sources, its settings, what people have decided, and its refresh. */
export function Page({ params: { id = "" } }: PageProps) {
  const [query] = useSearchParams();
  // After a refresh the sources stand otherwise.
  const { last, error, reload } = useMerged(id, query.get("operation"));
  const loaded = last?.catalogue.id === id ? last : null;
  if (loaded === null || isGone(error)) {
    return <Unread title="Merge" error={error} retry={reload} />;
  }
  const { catalogue, merged } = loaded;
  return (
    <Frame
      title={`Merge of ${catalogue.name}`}
      back={[`/catalogues/${id}`, "Back to the catalogue"]}
    >
      <ErrorNotice error={error} retry={reload} />
      {merged === null ? (
        <NoMerge />
      ) : (
        <Merge key={id} made={{ catalogue, merged }} reload={reload} />
      )}
    </Frame>
  );
}

function Merge({ made, reload }: { readonly made: MergedCatalogue; readonly reload: () => void }) {
  const { catalogue, merged } = made;
  const [query, setQuery] = useSearchParams();
  const mayChange = useMayChange(catalogue);
  useTitle(`Merge of ${catalogue.name}`);
  const operation = query.get("operation");
  if (operation !== null) {
    return (
      <OperationView
        key={operation}
        id={operation}
        outcome={(ended) => <Outcome catalogue={catalogue.id} operation={ended} />}
      />
    );
  }
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

type Refreshed = AnswerOf<"POST /api/catalogues/:id/merge/refresh">;
type OutcomeProps = { readonly catalogue: string; readonly operation: Operation };

/** The version that came of a refresh. */
function Outcome({ catalogue, operation: { status, error, result } }: OutcomeProps) {
  if (status === "running") return null;
  const back = <ButtonLink href={`/catalogues/${catalogue}/merge`} text="Back to the merge" />;
  if (status !== "succeeded") {
    return (
      <>
        {status === "failed" && (
          <div class="notice error" role="alert">
            <span>{error?.error ?? "This failed."}</span>
          </div>
        )}
        <p>The catalogue is as it was before.</p>
        <div class="row">{back}</div>
      </>
    );
  }
  const made = result as unknown as Refreshed;
  const hasChanged = made.added + made.updated + made.removed > 0;
  return (
    <Panel
      aria-label="Result"
      title={hasChanged ? `Version ${count(made.version)}` : "Nothing to change"}
    >
      <p class="sum">
        {hasChanged ? toldChanges(made) : "The catalogue has what its sources have."}
      </p>
      <div class="row">
        <ButtonLink class="primary" href={`/catalogues/${catalogue}`} text="Open the catalogue" />
        {hasChanged && (
          <ButtonLink
            href={`/catalogues/${catalogue}/versions?from=${made.version - 1}&to=${made.version}`}
            text="What it changed"
          />
        )}
        {back}
      </div>
    </Panel>
  );
}
