import { Field } from "../../../ui/form/field.tsx";
import type { ConversionEntry } from "./further-form.ts";

type ConversionFieldsProps = {
  readonly entry: ConversionEntry;
  readonly change: (changed: Partial<ConversionEntry>) => void;
  readonly problemOf: (field: string) => string | undefined;
};

const TEXTS = [
  { name: "name", label: "Name", placeholder: "ML of our network", required: true },
  { name: "from", label: "From type", placeholder: "ML", required: true },
  { name: "to", label: "To type", placeholder: "Mw", required: true },
  { name: "agency", label: "Of agency", placeholder: "any", required: false },
] as const;

const NUMBERS = [
  { name: "slope", label: "Slope" },
  { name: "intercept", label: "Intercept" },
  { name: "sigma", label: "Standard deviation", min: 0 },
  { name: "least", label: "Holds from" },
  { name: "most", label: "Holds to" },
] as const;

/** A relation of one's own: new = slope × old + intercept. */
export function ConversionFields({ entry, change, problemOf }: ConversionFieldsProps) {
  const problemIn = (name: keyof ConversionEntry) =>
    problemOf(name) ??
    (name === "least" ? (problemOf("range") ?? problemOf("range.0")) : undefined) ??
    (name === "most" ? problemOf("range.1") : undefined);
  return (
    <>
      <p class="hint">new magnitude = slope × old magnitude + intercept</p>
      <div class="field-grid">
        {TEXTS.map(({ name, ...field }) => (
          <Field
            key={name}
            {...field}
            value={entry[name]}
            problem={problemIn(name)}
            onValue={(value) => change({ [name]: value })}
          />
        ))}
        {NUMBERS.map(({ name, ...field }) => (
          <Field
            key={name}
            {...field}
            type="number"
            step="any"
            required
            value={entry[name]}
            problem={problemIn(name)}
            onValue={(value) => change({ [name]: value })}
          />
        ))}
      </div>
      <Field
        label="Where it comes from"
        placeholder="a paper, or “fitted to 214 events of both catalogues”"
        required
        value={entry.reference}
        problem={problemIn("reference")}
        onValue={(reference) => change({ reference })}
      />
    </>
  );
}
