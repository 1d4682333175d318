import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { bound } from "../../ui/form/bound.ts";
import { Field } from "../../ui/form/field.tsx";
import { Select } from "../../ui/form/select.tsx";
import { useNames } from "../../ui/person.tsx";
import { DEED_NAMES } from "./event-names.ts";

const ALL = { value: "", text: "all" };
/** Actors without an account: the service itself, and people who register. */
const NOBODIES = [
  { value: "system", text: "the service itself" },
  { value: "guest", text: "guests" },
];

/** Parts of the address, by the API's names; empty for no filter. */
export type AuditFilter = Readonly<Record<"actor" | "type" | "subject" | "from" | "to", string>>;

type AuditFiltersProps = {
  readonly filter: AuditFilter;
  readonly problemOf: (field: keyof AuditFilter) => string | undefined;
  readonly onChange: (change: Partial<AuditFilter>) => void;
};

/** Who did it, what kind of thing it was, and when. */
export function AuditFilters({ filter, problemOf, onChange }: AuditFiltersProps) {
  const { actor, type } = filter;
  const people = [...useNames()]
    .map(([value, text]) => ({ value, text }))
    .toSorted((a, b) => a.text.localeCompare(b.text));
  const actors = [ALL, ...NOBODIES, ...people];
  const isKnown = actors.some(({ value }) => value === actor);
  const types = Object.entries(DEED_NAMES).map(([value, text]) => ({ value, text }));
  return (
    <div class="list-filters">
      <Select
        label="Who"
        value={actor}
        options={isKnown ? actors : [...actors, { value: actor, text: actor }]}
        onValue={(value) => onChange({ actor: value })}
      />
      <Select
        label="What"
        value={type}
        options={[ALL, ...types]}
        onValue={(value) => onChange({ type: value })}
      />
      <Times filter={filter} problemOf={problemOf} onChange={onChange} />
    </div>
  );
}

/** Two days or times, which count once they are left or entered. */
function Times({ filter, problemOf, onChange }: AuditFiltersProps) {
  const from = useSignal(filter.from);
  const to = useSignal(filter.to);
  // Each by itself: one may be typed while the other is looked up.
  useEffect(() => {
    from.value = filter.from;
  }, [filter.from]);
  useEffect(() => {
    to.value = filter.to;
  }, [filter.to]);
  const apply = (event: Event) => {
    event.preventDefault();
    if (from.value === filter.from && to.value === filter.to) return;
    onChange({ from: from.value.trim(), to: to.value.trim() });
  };
  return (
    <form class="list-filters" onSubmit={apply} onChange={apply}>
      <Field
        label="From"
        unit="UTC"
        placeholder="2022-05-17"
        {...bound(from)}
        problem={problemOf("from")}
      />
      <Field
        label="To"
        unit="UTC"
        placeholder="2022-05-18"
        {...bound(to)}
        problem={problemOf("to")}
      />
      <button type="submit" class="visually-hidden" tabIndex={-1}>
        Filter
      </button>
    </form>
  );
}
