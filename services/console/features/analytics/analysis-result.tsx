import { significant } from "#contracts/plots/numbers.ts";
import type { Analysis } from "../../api/analysis.ts";
import { Result } from "../../plots/chart.tsx";
import { filterWords } from "../../ui/text/filter-words.ts";
import { count, counted, day } from "../../ui/text/format.ts";
import { factsOf } from "./facts.ts";
import { type Parameter, parameterFacts } from "./parameters.tsx";

type AnalysisResultProps = {
  readonly answer: Pick<Analysis, "reason" | "input" | "method" | "reference" | "warnings"> &
    Pick<Noted, "parameters"> & { readonly estimate: object | null };
  readonly parameters: readonly Parameter[];
};

/** What an analysis found: numbers, method, reference and warnings; else why it found nothing. */
export function AnalysisResult({ answer, parameters }: AnalysisResultProps) {
  const { estimate, reason, input, method, reference, warnings } = answer;
  return (
    <Result
      facts={estimate === null ? [] : factsOf(method, estimate)}
      nothing={estimate === null ? (reason ?? "There is no estimate.") : null}
      warnings={warnings.map(({ message }) => message)}
      how={[
        ["Of", inputText(input)],
        ["Analysis", methodName(method)],
        ...parameterFacts(answer.parameters, parameters),
        !!reference && ["Reference", reference],
      ]}
    />
  );
}

function inputText({ events: number, withoutMagnitude, start, end, years }: Analysis["input"]) {
  const parts = [counted(number, "event")];
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

function methodName(method: string): string {
  return METHOD_NAMES[method] ?? method;
}

type Noted = Pick<Analysis, "version" | "method" | "parameters" | "reference" | "filters"> & {
  readonly input: { readonly events: number };
};

/** What stands below a picture, so that it can be understood where nothing else is: of what, and how. */
export function notesOf(
  catalogue: { readonly name: string },
  answer: Noted,
  parameters: readonly Parameter[],
): readonly string[] {
  const { version, input, filters, method, reference } = answer;
  const facts = parameterFacts(answer.parameters, parameters);
  const texts = facts.map(({ name, text }) => `${name} ${text}`);
  return [
    [
      `${catalogue.name}, version ${count(version)}`,
      ...[counted(input.events, "event"), ...filterWords(filters)],
    ].join(" · "),
    [methodName(method), ...texts, reference].filter(Boolean).join(" · "),
  ];
}
