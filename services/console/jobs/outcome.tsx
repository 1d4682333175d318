import { Link } from "wouter-preact";
import type { ImportResult } from "#contracts/http/imports.ts";
import type { MergeResult } from "#contracts/http/merges/merge.ts";
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
      return <Cancelled kind={operation.kind} />;
    case "failed":
      return <Failed operation={operation} />;
    case "succeeded":
      return <Succeeded operation={operation} />;
  }
}

/** The history of a catalogue has every import into it, also into one that was made for it. */
function Cancelled({ kind }: Pick<Operation, "kind">) {
  const kept =
    kind === "import"
      ? "None of its events is kept; the imports of the catalogue tell of it."
      : "Nothing of it is kept.";
  return <p>This was cancelled. {kept}</p>;
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
  return (
    <p class="row">
      {linksTo(result).map(({ href, text }) => (
        <Link key={href} class="button" href={href}>
          {text}
        </Link>
      ))}
      <a href={`/api/operations/${id}`}>The answer as JSON</a>
    </p>
  );
}

type ResultLink = { readonly href: string; readonly text: string };

/** What a result is about: a new catalogue, the analysed one, or the two that were compared. */
function linksTo({ id: made, ...result }: NonNullable<Operation["result"]>): ResultLink[] {
  const { catalogueId, catalogue, a, b } = result;
  const links = [
    { id: made, part: "", text: "Open the catalogue" },
    { id: catalogueId, part: "", text: "Open the catalogue" },
    { id: catalogue, part: "/analytics", text: "Analyses of the catalogue" },
    { id: comparedIn(a), part: "", text: "The first catalogue" },
    { id: comparedIn(b), part: "", text: "The second catalogue" },
  ];
  return links.flatMap(({ id, part, text }) =>
    typeof id === "string" ? [{ href: `/catalogues/${id}${part}`, text }] : [],
  );
}

function comparedIn(side: unknown): unknown {
  return typeof side === "object" && side !== null && "catalogue" in side ? side.catalogue : null;
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
