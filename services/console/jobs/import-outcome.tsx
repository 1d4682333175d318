import { Fragment } from "preact";
import { Link } from "wouter-preact";
import type { ImportResult } from "#contracts/http/imports.ts";
import { call } from "../api/call.ts";
import { CallError } from "../api/call-error.ts";
import { useCall } from "../ui/call/use-call.ts";
import { count } from "../ui/text/format.ts";
import { ElementTalliesTable } from "./element-tallies.tsx";
import { ImportErrors } from "./import-errors.tsx";

const REASONS: Readonly<Record<keyof ImportResult["skippedReasons"], string>> = {
  existing: "already there, and updating was not asked for",
  unchanged: "already there, unchanged",
  excluded: "no earthquakes: their type is “not existing” or “duplicate”",
  rejected: "rejected by the agency",
};

/** What an import brought: every fetched event is in one of the counts. */
export function ImportOutcome({ result }: { readonly result: ImportResult }) {
  const { catalogueId, catalogueName, version, skippedReasons, errors } = result;
  const skipped = Object.entries(REASONS).map(
    ([reason, text]) => [text, skippedReasons[reason as keyof typeof REASONS]] as const,
  );
  return (
    <section class="panel" aria-label="Result">
      <h2>{catalogueName}</h2>
      <p class="sum">
        <strong>{count(result.totalFetched)}</strong> fetched ={" "}
        <strong>{count(result.newEvents)}</strong> new +{" "}
        <strong>{count(result.updatedEvents)}</strong> updated +{" "}
        <strong>{count(result.skippedEvents)}</strong> skipped +{" "}
        <strong>{count(errors.length)}</strong> errors
      </p>
      {result.skippedEvents > 0 && (
        <dl class="facts">
          {skipped
            .filter(([, number]) => number > 0)
            .map(([text, number]) => (
              <Fragment key={text}>
                <dt>{count(number)} skipped</dt>
                <dd>{text}</dd>
              </Fragment>
            ))}
        </dl>
      )}
      {result.elements && <ElementTalliesTable elements={result.elements} />}
      <ImportErrors errors={errors} />
      <div class="row">
        {version > 0 && <OpenVersion catalogueId={catalogueId} version={version} />}
        <Link href={`/catalogues/${catalogueId}/imports`}>Imports of this catalogue</Link>
      </div>
    </section>
  );
}

type OpenVersionProps = Pick<ImportResult, "catalogueId" | "version">;

/** At its version only where a later one is there: the latest can be edited. */
function OpenVersion({ catalogueId: id, version }: OpenVersionProps) {
  const { answer, error } = useCall(id, (signal) =>
    call("GET /api/catalogues/:id", { params: { id } }, { signal }),
  );
  if (error instanceof CallError && error.status === 404) {
    return <span class="muted">The catalogue has been deleted.</span>;
  }
  const isOld = answer !== null && answer.version > version;
  return (
    <Link class="button primary" href={`/catalogues/${id}${isOld ? `?asOf=${version}` : ""}`}>
      Open version {count(version)}
    </Link>
  );
}
