import { useSignal } from "@preact/signals";
import { useLocation, useSearch } from "wouter-preact";
import { Comparison, type ComparisonBody, useComparison } from "../features/compare/comparison.tsx";
import { CatalogueChoice } from "../ui/form/catalogue-choice.tsx";
import { Field, NUMBER, THRESHOLDS, TypedFields } from "../ui/form/fields.tsx";
import { problemOf, SubmitRow } from "../ui/form/submit.tsx";
import { Empty, Frame, Panel } from "../ui/page.tsx";

/** Two catalogues by the earthquakes that both have; what is compared stands in the address. */
export function Page() {
  const search = useSearch();
  const form = formIn(new URLSearchParams(search));
  const body = search.includes("timeThreshold=") ? bodyOf(form) : null;
  const comparison = useComparison(body);
  return (
    <Frame title="Compare catalogues">
      <CompareFields
        key={search}
        chosen={form}
        problemOf={(field) => problemOf(comparison.error, field)}
      />
      {!body && (
        <Empty
          title="Nothing is compared yet."
          text="You will see which earthquakes both catalogues have, how their times, places, depths and magnitudes differ, and lines that turn the magnitudes of one into those of the other."
        />
      )}
      {body && <Comparison key={search} body={body} comparison={comparison} />}
    </Frame>
  );
}

const SIDES = [
  { side: "a", version: "asOfA", label: "First catalogue, a" },
  { side: "b", version: "asOfB", label: "Second catalogue, b" },
] as const;

const ETA = [
  {
    ...NUMBER,
    name: "eta",
    label: "Variance of b’s magnitudes over a’s",
    unit: "η",
    hint: "1 where both are equally uncertain. It turns the orthogonal regression line.",
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
function CompareFields({ chosen, problemOf }: CompareFieldsProps) {
  const form = useSignal(chosen);
  const [, navigate] = useLocation();
  const set = (change: Partial<ComparisonForm>) => {
    form.value = { ...form.value, ...change };
  };

  const typed = { values: form.value, set, problemOf };
  const isComplete = form.value.a !== "" && form.value.b !== "";
  return (
    <form
      class="sheets two"
      onSubmit={(event) => {
        event.preventDefault();
        navigate(addressOf(form.value));
      }}
    >
      <Panel title="Catalogues">
        {SIDES.map(({ side, version, label }) => (
          <div key={side} class="side-fields">
            <CatalogueChoice
              label={label}
              value={form.value[side]}
              problem={problemOf(side)}
              onValue={(value) => set({ [side]: value, [version]: "" })}
            />
            <Field
              label={`Version of ${side}`}
              placeholder="latest"
              value={form.value[version]}
              problem={problemOf(version)}
              onValue={(value) => set({ [version]: value })}
            />
          </div>
        ))}
      </Panel>
      <Panel title="What is the same earthquake">
        <p class="muted">
          Events of both that are no farther apart than this are one earthquake, as in a merge.
        </p>
        <div class="field-grid">
          <TypedFields fields={THRESHOLDS} {...typed} />
        </div>
        <div class="field-grid wide">
          <TypedFields fields={ETA} {...typed} />
        </div>
      </Panel>
      <SubmitRow text="Compare" isDisabled={!isComplete}>
        {!isComplete && <span class="muted">Choose two catalogues first.</span>}
      </SubmitRow>
    </form>
  );
}

const NAMES = ["a", "b", "asOfA", "asOfB", "timeThreshold", "distanceThreshold", "eta"] as const;

/** What is compared, as it was typed, by the API's names. */
type ComparisonForm = Readonly<Record<(typeof NAMES)[number], string>>;

/** As merges have it to begin with; magnitudes of both are as good as each other's. */
const USUAL = { timeThreshold: "10", distanceThreshold: "50", eta: "1" } as const;

function formIn(query: URLSearchParams): ComparisonForm {
  const form: Record<string, string> = { ...USUAL };
  for (const name of NAMES) form[name] = query.get(name) || form[name] || "";
  return form as ComparisonForm;
}

/** The address of a comparison, which whoever may read both catalogues can repeat. */
function addressOf(form: ComparisonForm): string {
  const query = new URLSearchParams();
  for (const name of NAMES) if (form[name] !== "") query.set(name, form[name]);
  return `/compare?${query}`;
}

/** What is asked; null while a catalogue is missing. */
function bodyOf({ a, b, asOfA, asOfB, ...numbers }: ComparisonForm): ComparisonBody | null {
  if (a === "" || b === "") return null;
  return {
    a,
    b,
    ...(asOfA && { asOfA }),
    ...(asOfB && { asOfB }),
    timeThreshold: Number(numbers.timeThreshold),
    distanceThreshold: Number(numbers.distanceThreshold),
    eta: Number(numbers.eta),
  };
}
