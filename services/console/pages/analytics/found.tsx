import { Fragment } from "preact";
import type { Analysis } from "../../api/analysis.ts";
import { count, day, events } from "../../ui/format.ts";
import { significant } from "../../ui/significant.ts";
import { type Fact, factsOf } from "./facts.ts";
import { type Parameter, toldParameters } from "./parameters.ts";

type Answer = Pick<
  Analysis,
  "reason" | "input" | "method" | "parameters" | "reference" | "warnings"
> & { readonly estimate: object | null };

type FoundProps = { readonly answer: Answer; readonly parameters?: readonly Parameter[] };

/** What an analysis found: numbers, method, reference and warnings; else why it found nothing. */
export function Found({ answer, parameters = [] }: FoundProps) {
  const { estimate, reason, input, method, reference, warnings } = answer;
  return (
    <Result
      facts={estimate === null ? [] : factsOf(method, estimate)}
      nothing={estimate === null ? (reason ?? "There is no estimate.") : null}
      warnings={warnings.map(({ message }) => message)}
      how={[
        { name: "Of", text: inputText(input) },
        { name: "Analysis", text: methodName(method) },
        ...toldParameters(answer.parameters, parameters).map(({ label, text }) => ({
          name: label,
          text,
        })),
        ...(reference ? [{ name: "Reference", text: reference }] : []),
      ]}
    />
  );
}

type ResultProps = {
  readonly facts: readonly Fact[];
  /** Why there are no facts. */
  readonly nothing: string | null;
  readonly warnings: readonly string[];
  /** Of what, by which method, with which parameters. */
  readonly how: readonly Fact[];
};

/** Numbers, what to beware of, and how they were made. */
export function Result({ facts, nothing, warnings, how }: ResultProps) {
  return (
    <aside class="panel found" aria-label="Result">
      {nothing !== null && <p class="notice warning">{nothing}</p>}
      {facts.length > 0 && (
        <dl class="facts">
          {facts.map(({ name, text }) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>
                <strong>{text}</strong>
              </dd>
            </Fragment>
          ))}
        </dl>
      )}
      {warnings.map((message) => (
        <p key={message} class="notice warning">
          {message}
        </p>
      ))}
      <dl class="facts small">
        {how.map(({ name, text }) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </Fragment>
        ))}
      </dl>
    </aside>
  );
}

function inputText({ events: number, withoutMagnitude, start, end, years }: Analysis["input"]) {
  const parts = [events(number)];
  if (withoutMagnitude) parts.push(`${count(withoutMagnitude)} without magnitude`);
  if (start && end) parts.push(`${day(start)} to ${day(end)}`);
  if (years) parts.push(`${significant(years, 3)} years`);
  return parts.join(", ");
}

const METHOD_NAMES: Readonly<Record<string, string>> = {
  "b-value": "b-value of the Gutenberg–Richter law",
  completeness: "Magnitude of completeness",
  rates: "Numbers of events in calendar units, UTC",
  moment: "Seismic moment, M0 = 10^(1.5 Mw + 9.1)",
  "inter-event": "Times between one event and the next",
  depths: "Numbers of events by depth",
  density: "Numbers of events in cells of latitude and longitude",
  omori: "Omori–Utsu law, K (t + c)^−p",
  "nearest-neighbour": "Nearest neighbours in space, time and magnitude",
  quality: "Quality of the solutions",
  "gardner-knopoff": "Gardner–Knopoff windows",
  reasenberg: "Reasenberg's clusters",
};

export function methodName(method: string): string {
  return METHOD_NAMES[method] ?? method;
}
