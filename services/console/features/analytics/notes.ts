import type { Analysis } from "../../api/analysis.ts";
import { filterWords } from "../../ui/text/filter-words.ts";
import { count, events } from "../../ui/text/format.ts";
import { methodName } from "./analysis-result.tsx";
import { type Parameter, parameterTexts } from "./parameters.ts";

type Noted = Pick<Analysis, "version" | "method" | "parameters" | "reference" | "filters"> & {
  readonly input: { readonly events: number };
};

/** What stands below a picture, so that it can be understood where nothing else is: of what, and how. */
export function notesOf(
  catalogue: { readonly name: string },
  answer: Noted,
  parameters: readonly Parameter[],
): readonly string[] {
  const texts = parameterTexts(answer.parameters, parameters).map(
    ({ label, text }) => `${label} ${text}`,
  );
  return [
    [
      `${catalogue.name}, version ${count(answer.version)}`,
      events(answer.input.events),
      ...filterWords(answer.filters),
    ].join(" · "),
    [methodName(answer.method), ...texts, answer.reference].filter(Boolean).join(" · "),
  ];
}
