import { useSignal } from "@preact/signals";
import type { AnswerOf } from "../../api/call.ts";
import { ErrorNotice, useAnswer } from "../call.tsx";
import { count, counted } from "../text/format.ts";
import { useSettled } from "../timers.ts";
import { Field, Select } from "./fields.tsx";

type CatalogueList = AnswerOf<"GET /api/catalogues">;

/** The newest catalogues with a text in their names. */
export type CatalogueSearch = {
  readonly text: string;
  readonly setText: (text: string) => void;
  /** The last answer, also while the next is on its way; null before the first. */
  readonly list: CatalogueList | null;
  readonly error: unknown;
  readonly reload: () => void;
};

/** As many as one answer holds. */
const MOST = 100;

export function useCatalogueSearch(): CatalogueSearch {
  const text = useSignal("");
  const search = useSettled(text.value.trim());
  const query = { search, pageSize: MOST };
  const { last, error, reload } = useAnswer("GET /api/catalogues", { query });
  const setText = (typed: string) => {
    text.value = typed;
  };
  return { text: text.value, setText, list: last, error, reload };
}

/** The field for a part of the name, and why it finds nothing. */
export function CatalogueSearchField({ search }: { readonly search: CatalogueSearch }) {
  return (
    <>
      <Field
        label="Part of the name"
        type="search"
        value={search.text}
        onValue={search.setText}
        {...(search.list?.total === 0 && { hint: "No catalogue has this in its name." })}
        {...((search.list?.total ?? 0) > MOST && {
          hint: `The newest ${count(MOST)} of ${count(search.list?.total ?? 0)} are listed.`,
        })}
      />
      <ErrorNotice error={search.error} retry={search.reload} />
    </>
  );
}

type CatalogueChoiceProps = {
  /** Where there is more than one to choose. */
  readonly label?: string;
  readonly value: string;
  readonly problem?: string | undefined;
  /** Ids of those that may be chosen; all where it is null or absent. */
  readonly among?: readonly string[] | null;
  readonly onValue: (id: string) => void;
};

/** One of the catalogues; where there are many, those with a text in their names. */
export function CatalogueChoice({
  label = "Catalogue",
  value,
  problem,
  among = null,
  onValue,
}: CatalogueChoiceProps) {
  const search = useCatalogueSearch();
  const { list, error, reload } = search;
  const listed = (list?.catalogues ?? []).filter(({ id }) => among?.includes(id) ?? true);
  const isListed = value === "" || listed.some(({ id }) => id === value);
  const options = [
    { value: "", text: "Choose…" },
    ...(isListed ? [] : [{ value, text: "The chosen catalogue" }]),
    ...listed.map(({ id, name, event_count }) => ({
      value: id,
      text: `${name} (${counted(event_count, "event")})`,
    })),
  ];
  const hasMany = search.text !== "" || (list?.total ?? 0) > MOST;
  return (
    <>
      {hasMany && <CatalogueSearchField search={search} />}
      {!hasMany && error !== null && <ErrorNotice error={error} retry={reload} />}
      <Select label={label} value={value} options={options} problem={problem} onValue={onValue} />
    </>
  );
}
