import { Link, useSearchParams } from "wouter-preact";
import type { AnswerOf } from "../api/call.ts";
import { has } from "../api/session.ts";
import { elapsedOf, KINDS, ProgressBar, progressText, STATUS_BADGES } from "../jobs/operation.tsx";
import { Answered, useAnswer } from "../ui/call.tsx";
import { ButtonLink, Empty, Frame, Paging } from "../ui/page.tsx";
import { NamesOfPeople, Person } from "../ui/person.tsx";
import { type Columns, Table } from "../ui/table.tsx";
import { Moment } from "../ui/text/moment.tsx";
import { useRepeated } from "../ui/timers.ts";

type Listed = AnswerOf<"GET /api/operations">["operations"][number];

const PAGE_SIZE = 50;
const EVERY_MS = 5_000;

export function Page() {
  const [query] = useSearchParams();
  const before = query.get("before") ?? undefined;
  const listed = useAnswer("GET /api/operations", { query: { before, limit: PAGE_SIZE } });
  useRepeated(EVERY_MS, () => {
    if (listed.answer?.operations.some(({ status }) => status === "running")) listed.reload();
  });
  const last = listed.answer?.operations.at(PAGE_SIZE - 1);
  return (
    <Frame title="Operations">
      {has("admin") && <NamesOfPeople />}
      <p class="muted">
        {has("admin") ? "What everybody has" : "What you have"} running in the background. What has
        ended is listed for seven days.
      </p>
      <Answered call={listed}>
        {({ operations }) =>
          operations.length === 0 ? (
            <NoOperation isFirst={before === undefined} />
          ) : (
            <Table
              label="Operations"
              kind="folds"
              rows={operations}
              columns={[
                ...COLUMNS,
                has("admin") && ["Whose", ({ owner }: Listed) => <Person id={owner} />],
              ]}
            />
          )
        }
      </Answered>
      <Paging
        label="Pages of the list"
        newest={before ? "/operations" : null}
        older={last ? `/operations?before=${last.id}` : null}
      />
    </Frame>
  );
}

const COLUMNS: Columns<Listed> = [
  ["Work", ({ id, kind }) => <Link href={`/operations/${id}`}>{KINDS[kind]}</Link>],
  ["Status", ({ status }) => <span class={STATUS_BADGES[status]}>{status}</span>],
  [
    "Progress",
    ({ progress, status }) => (
      <>
        {progressText(progress)}
        {status === "running" && <ProgressBar {...{ status, progress }} />}
      </>
    ),
    "nowrap",
  ],
  ["Started", (one) => <Moment at={one.created_at} />],
  ["Took", (one) => elapsedOf(one, Date.now()), "number"],
];

/** What to do next, as one's role allows. */
function NoOperation({ isFirst }: { readonly isFirst: boolean }) {
  if (!isFirst) return <p>There are no older operations.</p>;
  return (
    <Empty
      title="Nothing has run in the background in the last seven days."
      text={
        !has("editor") && (
          <>
            Imports and merges appear here. They are started by editors; you can ask for this role
            in your <Link href="/profile">profile</Link>.
          </>
        )
      }
    >
      {has("editor") && (
        <>
          <ButtonLink href="/import" text="Import" />
          <ButtonLink href="/merge" text="Merge" />
        </>
      )}
    </Empty>
  );
}
