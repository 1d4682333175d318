import { Link } from "wouter-preact";
import { OperationView } from "../../../jobs/operation-view.tsx";
import type { Operation } from "../../../jobs/use-operation.ts";
import type { AnswerOf } from "../../../model/operation-types.ts";
import { count } from "../../../ui/text/format.ts";
import { toldChanges } from "../../../ui/text/told-changes.ts";

type Refreshed = AnswerOf<"POST /api/catalogues/:id/merge/refresh">;

type RefreshedPartProps = { readonly catalogue: string; readonly operation: string };

/** A refresh as it goes on, and the version that came of it. */
export function RefreshedPart({ catalogue, operation }: RefreshedPartProps) {
  return (
    <OperationView
      key={operation}
      id={operation}
      outcome={(ended) => <Outcome catalogue={catalogue} operation={ended} />}
    />
  );
}

type OutcomeProps = { readonly catalogue: string; readonly operation: Operation };

function Outcome({ catalogue, operation: { status, error, result } }: OutcomeProps) {
  if (status === "running") return null;
  const back = (
    <Link class="button" href={`/catalogues/${catalogue}/merge`}>
      Back to the merge
    </Link>
  );
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
    <section class="panel" aria-label="Result">
      <h2>{hasChanged ? `Version ${count(made.version)}` : "Nothing to change"}</h2>
      <p class="sum">
        {hasChanged ? toldChanges(made) : "The catalogue has what its sources have."}
      </p>
      <div class="row">
        <Link class="button primary" href={`/catalogues/${catalogue}`}>
          Open the catalogue
        </Link>
        {hasChanged && (
          <Link
            class="button"
            href={`/catalogues/${catalogue}/versions?from=${made.version - 1}&to=${made.version}`}
          >
            What it changed
          </Link>
        )}
        {back}
      </div>
    </section>
  );
}
