import type { Signal } from "@preact/signals";
import { Link } from "wouter-preact";
import { call } from "../../api/call.ts";
import { changesOfAccount, has, user } from "../../api/session.ts";
import type { AnswerOf } from "../../model/operation-types.ts";
import { AccessBadge } from "../../ui/access.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { Table } from "../../ui/table.tsx";
import { count, day, decimal, UNKNOWN } from "../../ui/text/format.ts";
import { Moment, UtcDay } from "../../ui/text/moment.tsx";

type Catalogue = AnswerOf<"GET /api/catalogues">["catalogues"][number];

type CataloguesTableProps = {
  readonly label: string;
  readonly catalogues: readonly Catalogue[];
  /** The id of the one that is pointed at, here or on the map. */
  readonly marked: Signal<string | null>;
};

/** Catalogues in rows: what is in them, and when they changed. */
export function CataloguesTable({ label, catalogues, marked }: CataloguesTableProps) {
  return (
    <Table
      label={label}
      kind="blocks"
      columns={[
        "Name",
        { number: "Events" },
        "Magnitude",
        "Time span, UTC",
        "Changed",
        { number: "Version" },
        "Access",
      ]}
    >
      {catalogues.map((catalogue) => (
        <Row key={catalogue.id} catalogue={catalogue} marked={marked} />
      ))}
    </Table>
  );
}

type RowProps = { readonly catalogue: Catalogue; readonly marked: Signal<string | null> };

function Row({ catalogue, marked }: RowProps) {
  const { id, name, event_count, version, access, updated_at } = catalogue;
  const mark = () => {
    marked.value = id;
  };
  const unmark = () => {
    marked.value = null;
  };
  return (
    <tr
      class={marked.value === id ? "block marked" : "block"}
      onMouseEnter={mark}
      onMouseLeave={unmark}
      onFocusIn={mark}
      onFocusOut={unmark}
    >
      <td class="words">
        <Link href={`/catalogues/${id}`}>{name}</Link> <Status catalogue={catalogue} />
      </td>
      <td class="number" data-behind={event_count === 1 ? "event" : "events"}>
        {count(event_count)}
      </td>
      <td class="nowrap" data-before="M">
        {span(catalogue)}
      </td>
      <td class="nowrap">
        <Days catalogue={catalogue} />
      </td>
      <td data-before="changed">
        <Moment at={updated_at} />
      </td>
      <td class="number" data-before="version">
        {version > 0 ? count(version) : UNKNOWN}
      </td>
      <td class="nowrap">
        <AccessBadge access={access} />{" "}
        {has("editor") && (
          <Link class="small" href={`/catalogues/${id}/shares`}>
            Shares<span class="visually-hidden"> of {name}</span>
          </Link>
        )}
      </td>
    </tr>
  );
}

/** What a status means for readers; nothing where all is as it should be. */
const MEANINGS = {
  processing: "its first version is being written",
  error: "its first version could not be written",
  deleting: "it is being deleted",
} as const;

function Status({ catalogue: { status, version } }: { readonly catalogue: Catalogue }) {
  if (status === "active") return null;
  return (
    <>
      <span class={`badge ${status === "error" ? "bad" : "warning"}`}>{status}</span>{" "}
      <span class="small">
        {status === "error" && version > 0 ? "later changes are not shown yet" : MEANINGS[status]}
      </span>
    </>
  );
}

function span({ min_magnitude, max_magnitude }: Catalogue): string {
  if (min_magnitude === null || max_magnitude === null) return UNKNOWN;
  const [least, most] = [decimal(min_magnitude, 1), decimal(max_magnitude, 1)];
  return least === most ? least : `${least} to ${most}`;
}

function Days({ catalogue: { start_time, end_time } }: { readonly catalogue: Catalogue }) {
  if (start_time === null || end_time === null) return <>{UNKNOWN}</>;
  if (day(start_time) === day(end_time)) return <UtcDay at={start_time} />;
  return (
    <>
      <UtcDay at={start_time} /> – <UtcDay at={end_time} />
    </>
  );
}

/** The newest that are looked at. */
const MOST = 100;

/**
 * Catalogues whose first version could not be written: of their makers' concern alone, and of
 * administrators'. One that has versions already concerns everybody.
 */
export function FailedCatalogues({ marked }: { readonly marked: Signal<string | null> }) {
  const found = useCall(String(changesOfAccount.value), (signal) =>
    call("GET /api/catalogues", { query: { status: "error", pageSize: MOST } }, { signal }),
  );
  const failed = found.last?.catalogues.filter(concernsMe) ?? [];
  if (failed.length === 0) return null;
  return (
    <section class="stack">
      <h2>Not complete</h2>
      <p class="muted">
        Something went wrong with these. Those without a version are seen by their makers and by
        administrators alone: delete them, or import into them again.
      </p>
      <CataloguesTable label="Not complete" catalogues={failed} marked={marked} />
    </section>
  );
}

function concernsMe({ version, created_by }: Catalogue): boolean {
  return version > 0 || has("admin") || (created_by !== null && created_by === user.value?.id);
}
