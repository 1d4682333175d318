import { Link } from "wouter-preact";
import type { ImportResult } from "#contracts/http/imports.ts";
import { count } from "../../ui/format.ts";
import { ImportErrors } from "./import-errors.tsx";

const REASONS: Readonly<Record<keyof ImportResult["skippedReasons"], string>> = {
  existing: "there already, and not to be updated",
  unchanged: "there already, as they are",
  excluded: "not earthquakes: of type not existing or duplicate",
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
              <>
                <dt>{count(number)} skipped</dt>
                <dd>{text}</dd>
              </>
            ))}
        </dl>
      )}
      <ImportErrors errors={errors} />
      <div class="row">
        {version > 0 && (
          <Link class="button primary" href={`/catalogues/${catalogueId}`}>
            Open version {count(version)}
          </Link>
        )}
        <Link href={`/catalogues/${catalogueId}/imports`}>Imports of this catalogue</Link>
      </div>
    </section>
  );
}
