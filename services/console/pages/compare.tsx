import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useLocation, useSearch } from "wouter-preact";
import { Comparison, useComparison } from "../features/compare/comparison.tsx";
import {
  addressOf,
  bodyOf,
  type ComparisonForm,
  formIn,
} from "../features/compare/comparison-form.ts";
import { CatalogueChoice } from "../ui/form/catalogue-choice.tsx";
import { Field } from "../ui/form/field.tsx";
import { problemOf } from "../ui/form/use-submit.ts";

const NUMBERS = [
  { name: "timeThreshold", label: "Time", unit: "s", min: 0, max: 3_600 },
  { name: "distanceThreshold", label: "Distance", unit: "km", min: 0, max: 1_000 },
  { name: "eta", label: "η", unit: "variance of errors, b by a", min: 1e-4, max: 1e4 },
] as const;

/** Two catalogues by the earthquakes that both have; what is compared stands in the address. */
export function Page() {
  const search = useSearch();
  const asked = formIn(new URLSearchParams(search));
  const body = search.includes("timeThreshold=") ? bodyOf(asked) : null;
  const found = useComparison(body);
  return (
    <section class="page">
      <h1>Compare catalogues</h1>
      <Form key={search} asked={asked} problemOf={(field) => problemOf(found.error.value, field)} />
      {body && <Comparison key={search} body={body} found={found} />}
    </section>
  );
}

type FormProps = {
  readonly asked: ComparisonForm;
  readonly problemOf: (field: keyof ComparisonForm) => string | undefined;
};

function Form({ asked, problemOf }: FormProps) {
  const form = useSignal(asked);
  const [, navigate] = useLocation();
  const set = (change: Partial<ComparisonForm>) => {
    form.value = { ...form.value, ...change };
  };
  useEffect(() => {
    form.value = asked;
  }, [JSON.stringify(asked)]);
  const { a, b, asOfA, asOfB } = form.value;
  const isComplete = a !== "" && b !== "";
  return (
    <form
      class="panel"
      onSubmit={(event) => {
        event.preventDefault();
        navigate(addressOf(form.value));
      }}
    >
      <div class="field-grid wide">
        <CatalogueChoice
          label="a, whose magnitudes are x"
          value={a}
          problem={problemOf("a")}
          onValue={(value) => set({ a: value, asOfA: "" })}
        />
        <Field
          label="Version of a"
          placeholder="latest"
          value={asOfA}
          problem={problemOf("asOfA")}
          onValue={(value) => set({ asOfA: value })}
        />
        <CatalogueChoice
          label="b, whose magnitudes are y"
          value={b}
          problem={problemOf("b")}
          onValue={(value) => set({ b: value, asOfB: "" })}
        />
        <Field
          label="Version of b"
          placeholder="latest"
          value={asOfB}
          problem={problemOf("asOfB")}
          onValue={(value) => set({ asOfB: value })}
        />
        {NUMBERS.map(({ name, ...given }) => (
          <Field
            key={name}
            {...given}
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
      <div class="row">
        <button type="submit" class="primary" disabled={!isComplete}>
          Compare
        </button>
        {!isComplete && <span class="muted">Choose two catalogues first.</span>}
      </div>
    </form>
  );
}
