import { Link, useSearchParams } from "wouter-preact";
import { call } from "../../api/call.ts";
import type { AnswerOf } from "../../api/operation-types.ts";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { time } from "../../ui/format.ts";
import { ScrollArea } from "../../ui/scroll-area.tsx";
import { useCall } from "../../ui/use-call.ts";
import { Waiting } from "../../ui/waiting.tsx";
import { AuditFilters } from "./audit-filters.tsx";
import { eventName } from "./event-names.ts";
import { Person } from "./person.tsx";
import { Subject } from "./subject.tsx";

type Entry = AnswerOf<"GET /api/audit">["entries"][number];

const FILTERS = ["actor", "type", "catalogueId"] as const;

export function Page() {
  const [query, setQuery] = useSearchParams();
  const given = (name: string) => query.get(name) ?? undefined;
  const filters = Object.fromEntries(FILTERS.map((name) => [name, given(name)]));
  const { answer, error, reload } = useCall(query.toString(), (signal) =>
    call("GET /api/audit", { query: { ...filters, after: given("after") } }, { signal }),
  );
  const at = (change: Readonly<Record<string, string>>) => {
    const next = Object.entries({ ...filters, ...change }).filter(([, value]) => value);
    return new URLSearchParams(next as [string, string][]);
  };
  return (
    <section class="page">
      <h1>Audit</h1>
      <AuditFilters
        actor={given("actor") ?? ""}
        type={given("type") ?? ""}
        onChange={(filter) => setQuery(at(filter))}
      />
      {given("catalogueId") && (
        <p class="row">
          Only what concerns <Subject subject={given("catalogueId") ?? ""} />
          <Link href={`/audit?${at({ catalogueId: "" })}`}>Everything</Link>
        </p>
      )}
      {error.value !== null && <ErrorNotice error={error.value} retry={reload} />}
      {answer.value === null ? (
        error.value === null && <Waiting />
      ) : (
        <Entries
          entries={answer.value.entries}
          isLast={answer.value.next === null}
          only={(catalogueId) => `/audit?${at({ catalogueId })}`}
        />
      )}
      <nav class="row" aria-label="Pages of the log">
        {given("after") && <Link href={`/audit?${at({})}`}>From the beginning</Link>}
        {answer.value?.next && (
          <Link href={`/audit?${at({ after: answer.value.next })}`}>Later</Link>
        )}
      </nav>
    </section>
  );
}

type EntriesProps = {
  readonly entries: readonly Entry[];
  readonly isLast: boolean;
  /** The address of what concerns a catalogue alone. */
  readonly only: (catalogue: string) => string;
};

function Entries({ entries, isLast, only }: EntriesProps) {
  if (entries.length === 0) {
    return (
      <div class="empty">
        <p>{isLast ? "Nothing like that is in the log." : "Nothing yet; the log goes on."}</p>
      </div>
    );
  }
  return (
    <ScrollArea label="Audit">
      <table>
        <thead>
          <tr>
            <th scope="col">Time, UTC</th>
            <th scope="col">Actor</th>
            <th scope="col">Type</th>
            <th scope="col">Subject</th>
            <th scope="col">What happened</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.position}>
              <td class="nowrap">{time(entry.time)}</td>
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
        </tbody>
      </table>
    </ScrollArea>
  );
}

type OnlyProps = { readonly subject: string; readonly only: EntriesProps["only"] };

function Only({ subject, only }: OnlyProps) {
  if (!subject.startsWith("catalogue-")) return null;
  const id = subject.slice("catalogue-".length);
  return (
    <>
      {" "}
      <Link href={only(id)} class="small" aria-label={`Only ${subject}`}>
        only
      </Link>
    </>
  );
}
