import { Link, useSearchParams } from "wouter-preact";
import { call } from "../../api/call.ts";
import { type AuditFilter, AuditFilters } from "../../features/administration/audit-filters.tsx";
import { eventName } from "../../features/administration/event-names.ts";
import { Subject } from "../../features/administration/subject.tsx";
import type { AnswerOf } from "../../model/operation-types.ts";
import { Answered } from "../../ui/call/answered.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { Empty } from "../../ui/empty.tsx";
import { problemOf } from "../../ui/form/use-submit.ts";
import { Paging } from "../../ui/paging.tsx";
import { Person } from "../../ui/person.tsx";
import { Table } from "../../ui/table.tsx";
import { UtcTime } from "../../ui/text/moment.tsx";

type Entry = AnswerOf<"GET /api/audit">["entries"][number];

const FILTERS = ["actor", "type", "subject", "from", "to"] as const;

export function Page() {
  const [query, setQuery] = useSearchParams();
  const filter = Object.fromEntries(
    FILTERS.map((name) => [name, query.get(name) ?? ""]),
  ) as AuditFilter;
  const before = query.get("before") ?? undefined;
  const log = useCall(query.toString(), (signal) => {
    const to = endOf(filter.to);
    return call("GET /api/audit", { query: { ...filter, to, order: "desc", before } }, { signal });
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
          Only what concerns <Subject subject={filter.subject} />
          <Link href={`/audit?${at({ subject: "" })}`}>Everything</Link>
        </p>
      )}
      <Answered call={log}>
        {({ entries, next }) => (
          <Entries
            entries={entries}
            isLast={next === null}
            only={(subject) => `/audit?${at({ subject })}`}
          />
        )}
      </Answered>
      <Paging
        label="Pages of the log"
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

type EntriesProps = {
  readonly entries: readonly Entry[];
  readonly isLast: boolean;
  /** The address of what concerns a subject alone. */
  readonly only: (subject: string) => string;
};

function Entries({ entries, isLast, only }: EntriesProps) {
  if (entries.length === 0) {
    return (
      <Empty
        title={
          isLast
            ? "Nothing like that is in the log."
            : "Nothing like that so far; older parts of the log may hold it."
        }
      />
    );
  }
  return (
    <Table
      label="Audit"
      kind="log"
      columns={["Time, UTC", "Actor", "Type", "Subject", "What happened"]}
    >
      {entries.map((entry) => (
        <tr key={entry.position}>
          <td class="nowrap">
            <UtcTime at={entry.time} />
          </td>
          <td>
            <Person id={entry.actor} />
          </td>
          <td class="nowrap">{eventName(entry.type)}</td>
          <td class="nowrap">
            <Subject subject={entry.subject} />
            <Only subject={entry.subject} only={only} />
          </td>
          <td class="words">{entry.summary}</td>
        </tr>
      ))}
    </Table>
  );
}

type OnlyProps = { readonly subject: string; readonly only: EntriesProps["only"] };

function Only({ subject, only }: OnlyProps) {
  return (
    <>
      {" "}
      <Link href={only(subject)} class="small" aria-label={`Only ${subject}`}>
        only
      </Link>
    </>
  );
}
