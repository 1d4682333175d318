import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { CatalogueChoice } from "../../ui/form/catalogue-choice.tsx";
import { Field } from "../../ui/form/field.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { THRESHOLDS } from "../../ui/form/thresholds.ts";
import { addressOf, type ComparisonForm } from "./comparison-form.ts";

const SIDES = [
  { side: "a", version: "asOfA", label: "First catalogue, a" },
  { side: "b", version: "asOfB", label: "Second catalogue, b" },
] as const;

const NUMBERS = [
  ...THRESHOLDS,
  {
    name: "eta",
    label: "Errors of b’s magnitudes against a’s",
    unit: "ratio of the variances (η)",
    min: 1e-4,
    max: 1e4,
  },
] as const;

type CompareFieldsProps = {
  /** As the address has it. */
  readonly chosen: ComparisonForm;
  readonly problemOf: (field: keyof ComparisonForm) => string | undefined;
};

/** What is compared, and within which thresholds. */
export function CompareFields({ chosen, problemOf }: CompareFieldsProps) {
  const form = useSignal(chosen);
  const [, navigate] = useLocation();
  const set = (change: Partial<ComparisonForm>) => {
    form.value = { ...form.value, ...change };
  };
  useEffect(() => {
    form.value = chosen;
  }, [JSON.stringify(chosen)]);
  const isComplete = form.value.a !== "" && form.value.b !== "";
  return (
    <form
      class="panel"
      onSubmit={(event) => {
        event.preventDefault();
        navigate(addressOf(form.value));
      }}
    >
      <div class="field-grid wide">
        {SIDES.map((side) => (
          <SideFields key={side.side} {...side} form={form.value} set={set} problemOf={problemOf} />
        ))}
        {NUMBERS.map(({ name, ...field }) => (
          <Field
            key={name}
            {...field}
            type="number"
            step="any"
            required
            value={form.value[name]}
            problem={problemOf(name)}
            onValue={(value) => set({ [name]: value })}
          />
        ))}
      </div>
      <p class="muted">
        Events of both within the time and the distance are one earthquake, as in a merge.
      </p>
      <SubmitRow text="Compare" isDisabled={!isComplete}>
        {!isComplete && <span class="muted">Choose two catalogues first.</span>}
      </SubmitRow>
    </form>
  );
}

type SideFieldsProps = (typeof SIDES)[number] &
  Pick<CompareFieldsProps, "problemOf"> & {
    readonly form: ComparisonForm;
    readonly set: (change: Partial<ComparisonForm>) => void;
  };

/** A catalogue, and which of its versions. */
function SideFields({ side, version, label, form, set, problemOf }: SideFieldsProps) {
  return (
    <>
      <CatalogueChoice
        label={label}
        value={form[side]}
        problem={problemOf(side)}
        onValue={(value) => set({ [side]: value, [version]: "" })}
      />
      <Field
        label={`Version of ${side}`}
        placeholder="latest"
        value={form[version]}
        problem={problemOf(version)}
        onValue={(value) => set({ [version]: value })}
      />
    </>
  );
}
