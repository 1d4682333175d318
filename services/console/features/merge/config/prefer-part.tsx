import { Field } from "../../../ui/form/field.tsx";
import { Select } from "../../../ui/form/select.tsx";
import type { FurtherForm, PreferPart } from "./further-form.ts";
import type { PartProps } from "./part-props.ts";
import { STRATEGIES } from "./strategies.ts";

const PARTS: readonly { readonly part: PreferPart; readonly label: string }[] = [
  { part: "location", label: "Time, place and depth" },
  { part: "magnitude", label: "Magnitude" },
  { part: "mechanism", label: "Focal mechanisms" },
];

type By = FurtherForm["prefer"][PreferPart]["by"];

const OPTIONS: readonly { readonly value: By; readonly text: string }[] = [
  { value: "", text: "of the solution that is kept" },
  { value: "agencies", text: "of the first of these agencies…" },
  ...STRATEGIES.map(({ value, text }) => ({ value, text: `by ${text}` })),
];

/** Whose location, magnitude and mechanisms are taken. */
export function PreferFields({ form: { prefer }, set, problemOf }: PartProps) {
  return (
    <>
      <p class="muted">
        Each of these three comes whole from one solution: a time never without its place, a
        magnitude never without its type.
      </p>
      {PARTS.map(({ part, label }) => {
        const entry = prefer[part];
        const change = (changed: Partial<typeof entry>) =>
          set({ prefer: { ...prefer, [part]: { ...entry, ...changed } } });
        return (
          <div class="field-grid wide" key={part}>
            <Select
              label={label}
              value={entry.by}
              options={OPTIONS}
              problem={entry.by === "agencies" ? undefined : problemOf(`prefer.${part}`)}
              onValue={(by) => change({ by })}
            />
            {entry.by === "agencies" && (
              <Field
                label={`Agencies for ${label.toLowerCase()}`}
                placeholder="ISC, NEIC, GCMT"
                hint="The best first, with commas between. Where none of them has one, that of the solution that is kept."
                required
                value={entry.agencies}
                problem={problemOf(`prefer.${part}`)}
                onValue={(agencies) => change({ agencies })}
              />
            )}
          </div>
        );
      })}
    </>
  );
}

/** How many of the three are taken otherwise. */
export function preferTold({ prefer }: FurtherForm): string {
  return PARTS.filter(({ part }) => prefer[part].by !== "")
    .map(({ label }) => label.toLowerCase())
    .join("; ");
}
