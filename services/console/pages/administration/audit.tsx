import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Link, useSearchParams } from "wouter-preact";
import { type AnswerOf, call } from "../../api/call.ts";
import { DEED_OPTIONS, eventName, Subject } from "../../features/deeds.tsx";
import { addressOfEvent } from "../../model/event-columns.ts";
import { Answered, useAnswer, useCall } from "../../ui/call.tsx";
import { bound, Field, Select } from "../../ui/form/fields.tsx";
import { problemOf } from "../../ui/form/submit.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Button, Frame, Paging } from "../../ui/page.tsx";
import { Person, useNames } from "../../ui/person.tsx";
import { Table } from "../../ui/table.tsx";
import { FIELD_NAMES, type FieldName, labelOf, shownValue } from "../../ui/text/attribute-names.ts";
import { count, given, type Measure, magnitudeName } from "../../ui/text/format.ts";
import { Moment, UtcTime } from "../../ui/text/moment.tsx";
import { Where } from "../../ui/text/where.tsx";

const FILTERS = ["actor", "type", "subject", "from", "to"] as const;

/** What was done, by whom and why, newest first. */
export function Page() {
  const [query, setQuery] = useSearchParams();
  const filter = Object.fromEntries(
    FILTERS.map((name) => [name, query.get(name) ?? ""]),
  ) as AuditFilter;
  const before = query.get("before") ?? undefined;
  const log = useAnswer("GET /api/audit", {
    query: { ...filter, to: endOf(filter.to), order: "desc", before, deeds: "true" },
  });
  const at = (change: Partial<AuditFilter> & { readonly before?: string }) => {
    const next = Object.entries({ ...filter, ...change }).filter(([, value]) => value !== "");
    return new URLSearchParams(next);
  };
  const catalogue = log.answer?.entries[0]?.deed?.catalogue;
  return (
    <Frame title="Audit">
      <AuditFilters
        filter={filter}
        problemOf={(field) => problemOf(log.error, field)}
        onChange={(change) => setQuery(at(change))}
      />
      {filter.subject !== "" && (
        <p class="row">
          Only what concerns {/* A catalogue by its name, which its deeds know. */}
          {catalogue ? <strong>{catalogue.name}</strong> : <Subject subject={filter.subject} />}
          <Link href={`/audit?${at({ subject: "" })}`}>Everything</Link>
        </p>
      )}
      <Answered call={log}>
        {({ entries, next }) => (
          <Deeds
            entries={entries}
            isLast={next === null}
            only={(subject) => `/audit?${at({ subject })}`}
          />
        )}
      </Answered>
      <Paging
        label="Pages of the audit"
        newest={before ? `/audit?${at({})}` : null}
        older={log.answer?.next ? `/audit?${at({ before: log.answer.next })}` : null}
      />
    </Frame>
  );
}

/** A day means all of it. */
function endOf(to: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(to) ? `${to}T23:59:59.999999Z` : to;
}

type DeedsProps = {
  readonly entries: readonly AuditEntry[];
  readonly isLast: boolean;
  /** The address of what concerns a subject alone. */
  readonly only: (subject: string) => string;
};

/** What somebody did, a row each; what the log has of it on demand. */
function Deeds({ entries, isLast, only }: DeedsProps) {
  const open = useSignal<ReadonlySet<string>>(new Set());
  const turn = (position: string) => {
    const others = [...open.value].filter((one) => one !== position);
    open.value = new Set(open.value.has(position) ? others : [...others, position]);
  };
  return (
    <Table
      label="Audit"
      kind="blocks"
      rows={entries}
      keyOf={({ position }) => position}
      rowAttributes={() => ({ class: "block deed" })}
      belowClass="deed-log"
      below={(entry) => (open.value.has(entry.position) ? <LogOfDeed entry={entry} /> : null)}
      empty={{
        title: isLast
          ? "Nothing like that was done."
          : "Nothing like that so far; go on to older pages.",
      }}
      columns={[
        [
          "When, UTC",
          ({ time }) => (
            <>
              <UtcTime at={time} length={16} />{" "}
              <span class="muted small">
                <Moment at={time} />
              </span>
            </>
          ),
          "nowrap",
        ],
        ["Who", ({ actor }) => <Person id={actor} />],
        [
          "What",
          ({ deed, summary }) => (
            <>
              {deed?.summary ?? summary}
              {deed && <Effects deed={deed} />}
              {deed?.reason && <p class="deed-reason">“{deed.reason}”</p>}
            </>
          ),
          "words",
        ],
        [
          "Catalogue or account",
          ({ deed, subject }) => {
            const text = `Only what concerns ${deed?.catalogue?.name ?? subject}`;
            return (
              <>
                {deed?.catalogue ? (
                  <Catalogue deed={deed} catalogue={deed.catalogue} />
                ) : (
                  <Subject subject={subject} />
                )}{" "}
                <Link href={only(subject)} class="only" title={text} aria-label={text}>
                  <Icon name="filter" />
                </Link>
              </>
            );
          },
          "about",
        ],
        [
          "Details",
          ({ position }) => (
            <Button
              class="plain link small"
              aria-expanded={open.value.has(position)}
              onClick={() => turn(position)}
              text="Details"
            />
          ),
          "number",
          "hidden",
        ],
      ]}
    />
  );
}

const ALL = { value: "", text: "all" };
/** Actors without an account: the service itself, and people who register. */
const NOBODIES = [
  { value: "system", text: "the service itself" },
  { value: "guest", text: "guests" },
];

/** Parts of the address, by the API's names; empty for no filter. */
type AuditFilter = Readonly<Record<"actor" | "type" | "subject" | "from" | "to", string>>;

type AuditFiltersProps = {
  readonly filter: AuditFilter;
  readonly problemOf: (field: keyof AuditFilter) => string | undefined;
  readonly onChange: (change: Partial<AuditFilter>) => void;
};

/** Who did it, what kind of thing it was, and when. */
function AuditFilters({ filter, problemOf, onChange }: AuditFiltersProps) {
  const { actor, type } = filter;
  const people = [...useNames()]
    .map(([value, text]) => ({ value, text }))
    .toSorted((a, b) => a.text.localeCompare(b.text));
  const actors = [ALL, ...NOBODIES, ...people];
  const isKnown = actors.some(({ value }) => value === actor);
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
        options={[ALL, ...DEED_OPTIONS]}
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

type CatalogueProps = { readonly deed: Deed; readonly catalogue: NonNullable<Deed["catalogue"]> };

function Catalogue({ deed: { version }, catalogue: { id, name, is_deleted } }: CatalogueProps) {
  if (is_deleted)
    return (
      <>
        {name} <span class="muted">(deleted)</span>
      </>
    );
  const versions = `/catalogues/${id}/versions`;
  return (
    <>
      <Link href={`/catalogues/${id}`}>{name}</Link>
      {version !== null && (
        <>
          ,{" "}
          <Link href={version > 1 ? `${versions}?from=${version - 1}&to=${version}` : versions}>
            version {count(version)}
          </Link>
        </>
      )}
    </>
  );
}

function Effects({ deed: { events, catalogue, version } }: { readonly deed: Deed }) {
  if (events.length === 0 || catalogue === null || version === null) return null;
  return (
    <ul class="deed-events">
      {events.map(({ event, change, changed }) => {
        // A removed event is in the version before.
        const asOf = change === "removed" ? version - 1 : version;
        const [magnitude] = magnitudeName(event.magnitude, event.magnitude_type);
        return (
          <li key={event.id}>
            <strong>{change === "updated" ? changedValues(changed) : magnitude}</strong>{" "}
            <span class="muted">
              <Link href={addressOfEvent(catalogue.id, event.id, asOf)}>
                <UtcTime at={event.time} length={16} />
              </Link>{" "}
              <Where event={event} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** Entries of the log that are looked through for the steps of one deed. */
const MOST_STEPS = 50;

/** What the log itself has of a deed: the steps that its request made, in their order. */
function LogOfDeed({ entry }: { readonly entry: AuditEntry }) {
  const { position, subject, command } = entry;
  const steps = useCall(position, async (signal) => {
    const query = { subject, order: "desc", before: position, limit: MOST_STEPS } as const;
    const { entries } = await call("GET /api/audit", { query }, { signal });
    const before = entries.filter((one) => one.command === command);
    return [...before.toReversed(), entry];
  });
  return (
    <Answered call={steps}>
      {(entries) => (
        <Table
          label="In the log"
          kind="compact"
          rows={entries}
          columns={[
            ["Time, UTC", ({ time }) => <UtcTime at={time} />, "nowrap"],
            ["Type", ({ type }) => eventName(type), "nowrap"],
            ["In the log", ({ summary }) => summary, "words"],
          ]}
        />
      )}
    </Answered>
  );
}

type Changed = DeedEvent["changed"][number];

/** Attributes that are told by a short name, with digits that mean something. */
const MEASURES: Readonly<
  Partial<Record<FieldName, { name: string; measure: Measure; unit: string }>>
> = {
  magnitude: { name: "M", measure: "magnitude", unit: "" },
  depth: { name: "depth", measure: "depth", unit: " km" },
  latitude: { name: "latitude", measure: "degrees", unit: "°" },
  longitude: { name: "longitude", measure: "degrees", unit: "°" },
};

/** Lists and structures of an event, whose values are not told. */
const STRUCTURES: Readonly<Record<string, string>> = {
  focal_mechanisms: "mechanisms",
  extra: "further attributes",
  source_events: "sources of the merge",
};

/** "M 2.0 → 2.6", "depth 10 → 12 km", "status preliminary → reviewed"; of structures that they changed. */
function changedValue({ name, from, to }: Changed): string {
  const field = FIELD_NAMES.find((known) => known === name);
  if (field === undefined) return `${STRUCTURES[name] ?? name.replaceAll("_", " ")} changed`;
  const measured = MEASURES[field];
  if (measured && isNumberOrNull(from) && isNumberOrNull(to)) {
    const [before, after] = alike(given(from, measured.measure), given(to, measured.measure));
    if (before !== after) return `${measured.name} ${before} → ${after}${measured.unit}`;
  }
  const [before, after] = [from, to].map((value) => told(field, value));
  return `${labelOf(field).toLowerCase()} ${before} → ${after}`;
}

function told(field: FieldName, value: Changed["from"]): string {
  return value === null || value === undefined ? "none" : shownValue(field, value);
}

/** In the order in which people read them: the magnitude first. */
function changedValues(changed: readonly Changed[]): string {
  const isFirst = ({ name }: Changed) => name.startsWith("magnitude");
  const sorted = [...changed.filter(isFirst), ...changed.filter((one) => !isFirst(one))];
  return sorted.map(changedValue).join(", ");
}

function isNumberOrNull(value: Changed["from"]): value is number | null {
  return value === null || typeof value === "number";
}

/** Two numbers with as many decimals: "2.0" and "2.6". */
function alike(one: string, other: string): readonly [string, string] {
  const decimals = Math.max(decimalsIn(one), decimalsIn(other));
  return [padded(one, decimals), padded(other, decimals)];
}

const decimalsIn = (text: string): number => text.split(".")[1]?.length ?? 0;

function padded(text: string, decimals: number): string {
  if (!/^−?\d/.test(text) || decimals === 0) return text;
  const [whole = "", fraction = ""] = text.split(".");
  return `${whole}.${fraction.padEnd(decimals, "0")}`;
}

/** An entry of the audit by deeds. */
type AuditEntry = AnswerOf<"GET /api/audit">["entries"][number];
type Deed = NonNullable<AuditEntry["deed"]>;
type DeedEvent = Deed["events"][number];
