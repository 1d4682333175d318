import { Link, useSearchParams } from "wouter-preact";
import { call } from "../../api/call.ts";
import { type AuditFilter, AuditFilters } from "../../features/administration/audit-filters.tsx";
import type { AuditEntry } from "../../features/administration/deed.ts";
import { DEED_COLUMNS, DeedRow } from "../../features/administration/deed-row.tsx";
import { Subject } from "../../features/administration/subject.tsx";
import { Answered } from "../../ui/call/answered.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { Empty } from "../../ui/empty.tsx";
import { problemOf } from "../../ui/form/use-submit.ts";
import { Paging } from "../../ui/paging.tsx";
import { Table } from "../../ui/table.tsx";

const FILTERS = ["actor", "type", "subject", "from", "to"] as const;

/** What was done, by whom and why, newest first. */
export function Page() {
  const [query, setQuery] = useSearchParams();
  const filter = Object.fromEntries(
    FILTERS.map((name) => [name, query.get(name) ?? ""]),
  ) as AuditFilter;
  const before = query.get("before") ?? undefined;
  const log = useCall(query.toString(), (signal) => {
    const to = endOf(filter.to);
    const wanted = { ...filter, to, order: "desc", before, deeds: "true" } as const;
    return call("GET /api/audit", { query: wanted }, { signal });
  });
  const at = (change: Partial<AuditFilter> & { readonly before?: string }) => {
    const next = Object.entries({ ...filter, ...change }).filter(([, value]) => value !== "");
    return new URLSearchParams(next);
  };
  return (
    <section class="page">
      <h1>Audit</h1>
      <AuditFilters
        filter={filter}
        problemOf={(field) => problemOf(log.error, field)}
        onChange={(change) => setQuery(at(change))}
      />
      {filter.subject !== "" && (
        <p class="row">
          Only what concerns <NamedSubject subject={filter.subject} entries={log.answer?.entries} />
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
    </section>
  );
}

/** A day means all of it. */
function endOf(to: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(to) ? `${to}T23:59:59.999999Z` : to;
}

type NamedSubjectProps = {
  readonly subject: string;
  readonly entries: readonly AuditEntry[] | undefined;
};

/** A catalogue by its name, which its deeds know. */
function NamedSubject({ subject, entries }: NamedSubjectProps) {
  const catalogue = entries?.[0]?.deed?.catalogue;
  return catalogue ? <strong>{catalogue.name}</strong> : <Subject subject={subject} />;
}

type DeedsProps = {
  readonly entries: readonly AuditEntry[];
  readonly isLast: boolean;
  /** The address of what concerns a subject alone. */
  readonly only: (subject: string) => string;
};

function Deeds({ entries, isLast, only }: DeedsProps) {
  if (entries.length === 0) {
    return (
      <Empty
        title={
          isLast ? "Nothing like that was done." : "Nothing like that so far; go on to older pages."
        }
      />
    );
  }
  return (
    <Table label="Audit" kind="blocks" columns={DEED_COLUMNS}>
      {entries.map((entry) => (
        <DeedRow key={entry.position} entry={entry} only={only} />
      ))}
    </Table>
  );
}
