import { type Signal, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Link, useLocation, useSearch } from "wouter-preact";
import { type AnswerOf, call } from "../api/call.ts";
import { changesOfAccount, has, user } from "../api/session.ts";
import type { NamedBox } from "../map/boxes-map.tsx";
import { boundsOfBbox } from "../model/bounds.ts";
import { AccessBadge } from "../ui/access.tsx";
import { Answered, useAnswer, useWrite } from "../ui/call.tsx";
import { Late } from "../ui/late.tsx";
import { Button, ButtonLink, Empty, Frame, Panel } from "../ui/page.tsx";
import { type Columns, Table } from "../ui/table.tsx";
import { count, counted, day, decimal, UNKNOWN } from "../ui/text/format.ts";
import { Moment, UtcTime } from "../ui/text/moment.tsx";

type List = AnswerOf<"GET /api/catalogues">;

const PAGE_SIZE = 25;

/** Failed ones stand apart, for those whom they concern. */
const LISTED = "active,processing,deleting";

export function Page() {
  const query = new URLSearchParams(useSearch());
  const search = query.get("search") ?? "";
  const marked = useSignal<string | null>(null);
  const page = Math.max(1, Number(query.get("page")) || 1);
  const asked = { search, status: LISTED, page, pageSize: PAGE_SIZE };
  const listed = useAnswer("GET /api/catalogues", { query: asked }, changesOfAccount.value);
  return (
    <Frame
      title="Catalogues"
      head={
        <>
          <Search search={search} />
          {has("editor") && <NewCatalogue />}
        </>
      }
    >
      <Answered call={listed} answer={listed.last}>
        {(list) => <Found list={list} search={search} marked={marked} />}
      </Answered>
    </Frame>
  );
}

function Search({ search }: { readonly search: string }) {
  const [, navigate] = useLocation();
  const typed = useSignal(search);
  const find = (event: Event) => {
    event.preventDefault();
    navigate(typed.value ? `/catalogues?search=${encodeURIComponent(typed.value)}` : "/catalogues");
  };
  return (
    <search>
      <form class="row" onSubmit={find}>
        <input
          type="search"
          aria-label="Part of the name"
          placeholder="Part of the name"
          data-shortcut="/"
          value={typed.value}
          onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
        />
        <button type="submit">Search</button>
      </form>
    </search>
  );
}

type FoundProps = {
  readonly list: List;
  readonly search: string;
  readonly marked: Signal<string | null>;
};

function Found({ list, search, marked }: FoundProps) {
  const [, navigate] = useLocation();
  const boxes = useMemo(() => list.catalogues.flatMap(boxOf), [list]);
  const isFirst = list.page === 1 && search === "";
  const failed = isFirst && <FailedCatalogues marked={marked} />;
  if (list.total === 0) {
    return (
      <>
        <NoCatalogue search={search} />
        {failed}
      </>
    );
  }
  const isPart = list.total > list.catalogues.length;
  return (
    <div class="list-and-map">
      <div class="stack">
        {list.catalogues.length === 0 ? (
          <Empty title={`The list has no page ${count(list.page)}.`} />
        ) : (
          <CataloguesTable label="Catalogues" catalogues={list.catalogues} marked={marked} />
        )}
        <Pages list={list} search={search} />
        {failed}
      </div>
      <div>
        <Late
          load={async () => (await import("../map/boxes-map.tsx")).BoxesMap}
          of={{ boxes, marked, onChosen: (id) => navigate(`/catalogues/${id}`) }}
        >
          <div class="catalogues-map" />
        </Late>
        {isPart && <p class="muted small">The map has the catalogues of this page of the list.</p>}
      </div>
    </div>
  );
}

/** Where a catalogue has its events; nothing of one without any. */
function boxOf({ id, bbox }: Catalogue): NamedBox[] {
  return bbox === null ? [] : [{ id, bounds: boundsOfBbox(bbox) }];
}

function Pages({ list, search }: { readonly list: List; readonly search: string }) {
  const last = Math.max(1, Math.ceil(list.total / list.pageSize));
  const at = (page: number) =>
    `/catalogues?${new URLSearchParams({ ...(search && { search }), page: String(page) })}`;
  return (
    <nav class="row" aria-label="Pages of the list">
      {list.page > 1 && <Link href={at(Math.min(list.page - 1, last))}>Previous</Link>}
      <span class="muted">
        {counted(list.total, "catalogue")}
        {last > 1 && `, page ${list.page} of ${last}`}
      </span>
      {list.page < last && <Link href={at(list.page + 1)}>Next</Link>}
    </nav>
  );
}

type Catalogue = AnswerOf<"GET /api/catalogues">["catalogues"][number];

type CataloguesTableProps = {
  readonly label: string;
  readonly catalogues: readonly Catalogue[];
  /** The id of the one that is pointed at, here or on the map. */
  readonly marked: Signal<string | null>;
};

/** Catalogues in rows: what is in them, and when they changed. */
function CataloguesTable({ label, catalogues, marked }: CataloguesTableProps) {
  return (
    <Table
      label={label}
      kind="blocks"
      rows={catalogues}
      rowAttributes={({ id }) => {
        const mark = () => (marked.value = id);
        const unmark = () => (marked.value = null);
        return {
          class: marked.value === id ? "block marked" : "block",
          onMouseEnter: mark,
          onMouseLeave: unmark,
          onFocusIn: mark,
          onFocusOut: unmark,
        };
      }}
      columns={COLUMNS}
    />
  );
}

const COLUMNS: Columns<Catalogue> = [
  [
    "Name",
    (catalogue) => (
      <>
        <Link href={`/catalogues/${catalogue.id}`}>{catalogue.name}</Link>{" "}
        <Status catalogue={catalogue} />
      </>
    ),
    "words",
  ],
  {
    head: "Events",
    class: "number",
    attributes: (one) => ({ "data-behind": one.event_count === 1 ? "event" : "events" }),
    cell: (one) => count(one.event_count),
  },
  { head: "Magnitude", class: "nowrap", attributes: () => ({ "data-before": "M" }), cell: span },
  [
    "Time span, UTC",
    ({ start_time: from, end_time: to }) => {
      if (from === null || to === null) return UNKNOWN;
      if (day(from) === day(to)) return <UtcTime at={from} length={10} />;
      return (
        <>
          <UtcTime at={from} length={10} /> – <UtcTime at={to} length={10} />
        </>
      );
    },
    "nowrap",
  ],
  {
    head: "Changed",
    attributes: () => ({ "data-before": "changed" }),
    cell: (one) => <Moment at={one.updated_at} />,
  },
  {
    head: "Version",
    class: "number",
    attributes: () => ({ "data-before": "version" }),
    cell: ({ version }) => (version > 0 ? count(version) : UNKNOWN),
  },
  [
    "Access",
    ({ id, name, access }) => (
      <>
        <AccessBadge access={access} />{" "}
        {has("editor") && (
          <Link class="small" href={`/catalogues/${id}/shares`}>
            Shares<span class="visually-hidden"> of {name}</span>
          </Link>
        )}
      </>
    ),
    "nowrap",
  ],
];

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

/** The newest that are looked at. */
const MOST = 100;

/**
 * Catalogues whose first version could not be written: of their makers' concern alone, and of
 * administrators'. One that has versions already concerns everybody.
 */
function FailedCatalogues({ marked }: { readonly marked: Signal<string | null> }) {
  const asked = { status: "error", pageSize: MOST };
  const found = useAnswer("GET /api/catalogues", { query: asked }, changesOfAccount.value);
  const failed = found.last?.catalogues.filter(concernsMe) ?? [];
  if (failed.length === 0) return null;
  return (
    <Panel class="stack" title="Not complete">
      <p class="muted">
        Something went wrong with these. Those without a version are seen by their makers and by
        administrators alone: delete them, or import into them again.
      </p>
      <CataloguesTable label="Not complete" catalogues={failed} marked={marked} />
    </Panel>
  );
}

function concernsMe({ version, created_by }: Catalogue): boolean {
  return version > 0 || has("admin") || (created_by !== null && created_by === user.value?.id);
}

/** The ways to a new catalogue. */
function NewCatalogue() {
  const [, navigate] = useLocation();
  const { isBusy, write } = useWrite();
  const loadSample = () =>
    write({
      send: (options) => call("POST /api/sample", {}, options),
      after: ({ catalogueId }) => navigate(`/catalogues/${catalogueId}`),
    });
  return (
    <nav class="row end" aria-label="New catalogue">
      <span class="muted">New catalogue from</span>
      <ButtonLink href="/upload" text="a file" />
      <ButtonLink href="/import" text="an agency" />
      <ButtonLink href="/merge" text="other catalogues" />
      <Button disabled={isBusy.value} onClick={loadSample} text="the sample" />
    </nav>
  );
}

/** Stands for an empty list: what to do next, as one's role allows. */
function NoCatalogue({ search }: { readonly search: string }) {
  if (search) {
    return (
      <Empty title={`No catalogue has “${search}” in its name.`}>
        <ButtonLink href="/catalogues" text="Show all" />
      </Empty>
    );
  }
  const next = has("editor") ? (
    "Upload a file, or import from an agency."
  ) : user.value ? (
    <>
      Editors can create some; you can ask for this role in your{" "}
      <Link href="/profile">profile</Link>.
    </>
  ) : (
    <>
      <Link href="/login">Sign in</Link> to create one.
    </>
  );
  return <Empty title="There are no catalogues yet." text={next} />;
}
