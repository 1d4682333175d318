import { Link } from "wouter-preact";
import { readReport } from "../api/readiness.ts";
import { checkMessage, checkName, isOfAgency, isWorking } from "../model/status-words.ts";
import { useCall } from "../ui/call/use-call.ts";
import type { Operation } from "./use-operation.ts";

type Code = NonNullable<Operation["error"]>["code"];

const ADVICE: { readonly [C in NonNullable<Code>]?: string } = {
  AGENCY_UNAVAILABLE: "The agency is down or overloaded. Try again later.",
  AGENCY_TIMEOUT: "The agency did not answer in time. Try again later, or choose a shorter time.",
  AGENCY_ERROR: "The agency refused the request. Other bounds or a shorter time may help.",
  CIRCUIT_OPEN:
    "After several failures the service does not ask the agency for a minute. Try again after that.",
};

/** Why an import failed, and whether agencies are asked at the moment: those in trouble, or else the first. */
export function ImportFailed({ error }: { readonly error: Operation["error"] }) {
  const { answer } = useCall("breaker", readReport);
  const checks = answer?.checks.filter(({ name }) => isOfAgency(name)) ?? [];
  const troubled = checks.filter((check) => !isWorking(check));
  const told = troubled.length > 0 ? troubled : checks.filter(({ name }) => name === "agency_api");
  const advice = error?.code && ADVICE[error.code];
  const catalogue = catalogueOf(error);
  return (
    <>
      <div class="notice error" role="alert">
        <span>{error?.error ?? "The import failed."}</span>
      </div>
      <p>{advice} Nothing was imported. Running it again makes no duplicates.</p>
      <p class="row">
        {told.map(({ name, message = "" }) => (
          <span key={name} class="muted">
            {checkName(name)}: {checkMessage(name, message)}
          </span>
        ))}
        <Link href="/status">The service’s status</Link>
        {catalogue !== null && (
          <Link href={`/catalogues/${catalogue}/imports`}>Imports of this catalogue</Link>
        )}
      </p>
    </>
  );
}

/** The catalogue of a failed run stands beside the code. */
function catalogueOf(error: object | undefined): string | null {
  if (!error || !("catalogueId" in error)) return null;
  return typeof error.catalogueId === "string" ? error.catalogueId : null;
}
