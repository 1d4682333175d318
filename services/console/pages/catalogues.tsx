import { type Signal, useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { Link, useLocation, useSearch } from "wouter-preact";
import { call } from "../api/call.ts";
import { changesOfAccount, has } from "../api/session.ts";
import { CataloguesTable, FailedCatalogues } from "../features/catalogues/catalogues-table.tsx";
import { NewCatalogue, NoCatalogue } from "../features/catalogues/new-catalogue.tsx";
import type { AnswerOf } from "../model/operation-types.ts";
import { Answered } from "../ui/call/answered.tsx";
import { useCall } from "../ui/call/use-call.ts";
import { Empty } from "../ui/states.tsx";
import { count, counted } from "../ui/text/format.ts";

type List = AnswerOf<"GET /api/catalogues">;
type Catalogue = List["catalogues"][number];

const PAGE_SIZE = 25;

/** Failed ones stand apart, for those whom they concern. */
const LISTED = "active,processing,deleting";

export function Page() {
  const query = new URLSearchParams(useSearch());
  const search = query.get("search") ?? "";
  const marked = useSignal<string | null>(null);
  const page = Math.max(1, Number(query.get("page")) || 1);
  const key = `${search} ${page} ${changesOfAccount.value}`;
  const listed = useCall(key, (signal) =>
    call(
      "GET /api/catalogues",
      { query: { search: search || undefined, status: LISTED, page, pageSize: PAGE_SIZE } },
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
      <Answered call={listed} answer={listed.last}>
        {(list) => <Found list={list} search={search} marked={marked} />}
      </Answered>
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
      <WhereTheyAre catalogues={list.catalogues} isPart={isPart} marked={marked} />
    </div>
  );
}

type MapProps = {
  readonly catalogues: readonly Catalogue[];
  /** Whether the list has further pages. */
  readonly isPart: boolean;
  readonly marked: Signal<string | null>;
};

/** The map comes after the list: its scripts are no part of the first page's. */
function WhereTheyAre(props: MapProps) {
  const loaded = useSignal<ComponentType<MapProps> | null>(null);
  useEffect(() => {
    import("../features/catalogues/catalogues-map.tsx").then(
      ({ CataloguesMap }) => {
        loaded.value = CataloguesMap;
      },
      () => undefined,
    );
  }, []);
  const CataloguesMap = loaded.value;
  return CataloguesMap ? <CataloguesMap {...props} /> : <div class="catalogues-map" />;
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
