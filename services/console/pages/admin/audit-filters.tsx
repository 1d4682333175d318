import { Select } from "../../ui/select.tsx";
import { EVENT_NAMES } from "./event-names.ts";
import { useNames } from "./person.tsx";

/** Actors without an account: the service itself, and people who register. */
const NOBODIES = [
  { value: "system", text: "the service itself" },
  { value: "guest", text: "guests" },
];
const ALL = { value: "", text: "all" };

type AuditFiltersProps = {
  readonly actor: string;
  readonly type: string;
  readonly onChange: (filter: Readonly<Record<string, string>>) => void;
};

/** Who did it, and what kind of thing it was. */
export function AuditFilters({ actor, type, onChange }: AuditFiltersProps) {
  const people = [...useNames()]
    .map(([value, text]) => ({ value, text }))
    .toSorted((a, b) => a.text.localeCompare(b.text));
  const actors = [ALL, ...NOBODIES, ...people];
  const isKnown = actors.some(({ value }) => value === actor);
  const types = Object.entries(EVENT_NAMES).map(([value, text]) => ({ value, text }));
  return (
    <div class="list-filters">
      <Select
        label="Actor"
        value={actor}
        options={isKnown ? actors : [...actors, { value: actor, text: actor }]}
        onValue={(value) => onChange({ actor: value })}
      />
      <Select
        label="Type"
        value={type}
        options={[ALL, ...types]}
        onValue={(value) => onChange({ type: value })}
      />
    </div>
  );
}
