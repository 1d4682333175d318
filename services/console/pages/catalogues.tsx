import { type Signal, useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { Link, useLocation, useSearch } from "wouter-preact";
import { call } from "../api/call.ts";
import type { AnswerOf } from "../api/operation-types.ts";
import { changesOfAccount, has } from "../api/session.ts";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { ago, count, day, decimal, time, UNKNOWN } from "../ui/format.ts";
import { ScrollArea } from "../ui/scroll-area.tsx";
import { useCall } from "../ui/use-call.ts";
import { Waiting } from "../ui/waiting.tsx";
import { NewCatalogue, NoCatalogue } from "./new-catalogue.tsx";

type List = AnswerOf<"GET /api/catalogues">;
type Catalogue = List["catalogues"][number];

const PAGE_SIZE = 25;

export function Page() {
  const query = new URLSearchParams(useSearch());
  const search = query.get("search") ?? "";
  const page = Math.max(1, Number(query.get("page")) || 1);
  const key = `${search} ${page} ${changesOfAccount.value}`;
  const { answer, error, reload } = useCall(key, (signal) =>
    call(
      "GET /api/catalogues",
      { query: { search: search || undefined, page, pageSize: PAGE_SIZE } },
      { signal },
    ),
  );
  return (
    <section class="page">
      <div class="page-head">
        <h1>Catalogues</h1>
        <Search search={search} />
        {has("editor") && <NewCatalogue />}
      </div>
      {error.value !== null && <ErrorNotice error={error.value} retry={reload} />}
      {answer.value === null ? (
        error.value === null && <Waiting />
      ) : (
        <Found list={answer.value} search={search} />
      )}
    </section>
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
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value;
          }}
        />
        <button type="submit">Search</button>
      </form>
    </search>
  );
}

function Found({ list, search }: { readonly list: List; readonly search: string }) {
  const marked = useSignal<string | null>(null);
  if (list.total === 0) return <NoCatalogue search={search} />;
  return (
    <>
      <ScrollArea label="Catalogues">
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col" class="number">
                Events
              </th>
              <th scope="col">Magnitude</th>
              <th scope="col">Time span, UTC</th>
              <th scope="col">Changed</th>
              <th scope="col" class="number">
                Version
              </th>
              <th scope="col">Access</th>
            </tr>
          </thead>
          <tbody>
            {list.catalogues.map((catalogue) => (
              <Row key={catalogue.id} catalogue={catalogue} marked={marked} />
            ))}
          </tbody>
        </table>
      </ScrollArea>
      <Pages list={list} search={search} />
      <WhereTheyAre catalogues={list.catalogues} marked={marked} />
    </>
  );
}

type MapProps = {
  readonly catalogues: readonly Catalogue[];
  readonly marked: Signal<string | null>;
};

/** The map comes after the list: its scripts are no part of the first page's. */
function WhereTheyAre(props: MapProps) {
  const loaded = useSignal<ComponentType<MapProps> | null>(null);
  useEffect(() => {
    import("./catalogues-map.tsx").then(
      ({ CataloguesMap }) => {
        loaded.value = CataloguesMap;
      },
      () => undefined,
    );
  }, []);
  const CataloguesMap = loaded.value;
  return CataloguesMap ? <CataloguesMap {...props} /> : <div class="catalogues-map" />;
}

type RowProps = { readonly catalogue: Catalogue; readonly marked: Signal<string | null> };

function Row({ catalogue, marked }: RowProps) {
  const { id, name, event_count, version, status, is_public, updated_at } = catalogue;
  return (
    <tr
      onMouseEnter={() => {
        marked.value = id;
      }}
      onMouseLeave={() => {
        marked.value = null;
      }}
    >
      <td class="words">
        <Link href={`/catalogues/${id}`}>{name}</Link>
        {status !== "active" && <span class="badge warning">{status}</span>}
      </td>
      <td class="number">{count(event_count)}</td>
      <td class="nowrap">{span(catalogue)}</td>
      <td class="nowrap">{years(catalogue)}</td>
      <td class="nowrap">
        {updated_at ? (
          <time dateTime={updated_at} title={`${time(updated_at)} UTC`}>
            {ago(updated_at)}
          </time>
        ) : (
          UNKNOWN
        )}
      </td>
      <td class="number">{version}</td>
      <td>
        <span class="badge">{is_public ? "public" : "private"}</span>
      </td>
    </tr>
  );
}

function span({ min_magnitude, max_magnitude }: Catalogue): string {
  if (min_magnitude === null || max_magnitude === null) return UNKNOWN;
  return `${decimal(min_magnitude, 1)} to ${decimal(max_magnitude, 1)}`;
}

function years({ start_time, end_time }: Catalogue): string {
  if (start_time === null || end_time === null) return UNKNOWN;
  return `${day(start_time)} – ${day(end_time)}`;
}

function Pages({ list, search }: { readonly list: List; readonly search: string }) {
  const last = Math.max(1, Math.ceil(list.total / list.pageSize));
  const at = (page: number) =>
    `/catalogues?${new URLSearchParams({ ...(search && { search }), page: String(page) })}`;
  return (
    <nav class="row" aria-label="Pages of the list">
      {list.page > 1 && <Link href={at(list.page - 1)}>Previous</Link>}
      <span class="muted">
        {count(list.total)} {list.total === 1 ? "catalogue" : "catalogues"}, page {list.page} of{" "}
        {last}
      </span>
      {list.page < last && <Link href={at(list.page + 1)}>Next</Link>}
    </nav>
  );
}
