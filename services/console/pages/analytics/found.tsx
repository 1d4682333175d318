import { Fragment } from "preact";
import { count, events } from "../../ui/format.ts";
import type { Analysis } from "./analysis.ts";
import { factsOf } from "./facts.ts";

/** What an analysis found: numbers, method, reference and warnings; else why it found nothing. */
export function Found({ answer }: { readonly answer: Analysis }) {
  const { estimate, reason, input, method, reference, warnings } = answer;
  const parameters = Object.entries(answer.parameters).filter(
    ([, value]) => value !== null && typeof value !== "object",
  );
  return (
    <aside class="panel found" aria-label="Result">
      {estimate === null ? (
        <p class="notice warning">{reason ?? "There is no estimate."}</p>
      ) : (
        <dl class="facts">
          {factsOf(estimate).map(({ name, text }) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>
                <strong>{text}</strong>
              </dd>
            </Fragment>
          ))}
        </dl>
      )}
      {warnings.map(({ code, message }) => (
        <p key={code} class="notice warning">
          {message}
        </p>
      ))}
      <dl class="facts small">
        <dt>Of</dt>
        <dd>
          {events(input.events)}
          {input.withoutMagnitude ? `, ${count(input.withoutMagnitude)} without magnitude` : ""}
        </dd>
        <dt>Method</dt>
        <dd>{method}</dd>
        {parameters.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{String(value)}</dd>
          </Fragment>
        ))}
        {reference && (
          <>
            <dt>Reference</dt>
            <dd>{reference}</dd>
          </>
        )}
      </dl>
    </aside>
  );
}
