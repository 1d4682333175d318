import { Link } from "wouter-preact";
import type { ImportResult } from "#contracts/http/imports.ts";
import type { MergeResult } from "#contracts/http/merge.ts";
import { ImportFailed } from "./import-failed.tsx";
import { ImportOutcome } from "./import-outcome.tsx";
import { MergeCountsLine } from "./merge-counts.tsx";
import type { Operation } from "./use-operation.ts";

/** What came of an operation; nothing while it runs. */
export function Outcome({ operation }: { readonly operation: Operation }) {
  switch (operation.status) {
    case "running":
      return null;
    case "cancelled":
      return <p>This was cancelled. Nothing of it is kept.</p>;
    case "failed":
      return <Failed operation={operation} />;
    case "succeeded":
      return <Succeeded operation={operation} />;
  }
}

function Failed({ operation: { kind, error } }: { readonly operation: Operation }) {
  if (kind === "import") return <ImportFailed error={error} />;
  return (
    <div class="notice error" role="alert">
      <span>{error?.error ?? "This failed."}</span>
    </div>
  );
}

/** An operation's result is the answer of the request that started it. */
function Succeeded({ operation: { id, kind, result = {} } }: { readonly operation: Operation }) {
  if (kind === "import") return <ImportOutcome result={result as ImportResult} />;
  if (kind === "merge") return <Merged result={result as MergeResult} />;
  const { catalogueId, catalogue } = result;
  return (
    <p class="row">
      {typeof catalogueId === "string" && (
        <Link class="button primary" href={`/catalogues/${catalogueId}`}>
          Open the catalogue
        </Link>
      )}
      {typeof catalogue === "string" && (
        <Link class="button primary" href={`/catalogues/${catalogue}/analytics`}>
          Analyses of the catalogue
        </Link>
      )}
      <a href={`/api/operations/${id}`}>The answer as JSON</a>
    </p>
  );
}

function Merged({ result }: { readonly result: MergeResult }) {
  return (
    <section class="panel" aria-label="Result">
      <h2>Merged</h2>
      <MergeCountsLine counts={result} />
      <div class="row">
        <Link class="button primary" href={`/catalogues/${result.catalogueId}`}>
          Open the catalogue
        </Link>
      </div>
    </section>
  );
}
