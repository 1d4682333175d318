import { useSignal } from "@preact/signals";
import { call } from "../api/call.ts";
import type { AnswerOf } from "../api/operation-types.ts";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Field } from "../ui/field.tsx";
import { count } from "../ui/format.ts";
import { Select } from "../ui/select.tsx";
import { type Loaded, useCall } from "../ui/use-call.ts";

export type CatalogueList = AnswerOf<"GET /api/catalogues">;

/** As many as one answer holds. */
const MOST = 100;

/** The newest catalogues with a text in their names. */
export function useCatalogues(search: string): Loaded<CatalogueList> {
  return useCall(search, (signal) =>
    call(
      "GET /api/catalogues",
      { query: { search: search || undefined, pageSize: MOST } },
      { signal },
    ),
  );
}

type CatalogueChoiceProps = {
  /** Where there is more than one to choose. */
  readonly label?: string;
  readonly value: string;
  readonly onValue: (id: string) => void;
};

/** One of the catalogues; where there are many, those with a text in their names. */
export function CatalogueChoice({ label = "Catalogue", value, onValue }: CatalogueChoiceProps) {
  const search = useSignal("");
  const { answer, error, reload } = useCatalogues(search.value);
  const found = answer.value?.catalogues ?? [];
  const isChosen = value === "" || found.some(({ id }) => id === value);
  const options = [
    { value: "", text: "Choose…" },
    ...(isChosen ? [] : [{ value, text: "The chosen catalogue" }]),
    ...found.map(({ id, name, event_count }) => ({
      value: id,
      text: `${name} (${count(event_count)} events)`,
    })),
  ];
  return (
    <>
      {error.value !== null && <ErrorNotice error={error.value} retry={reload} />}
      {(search.value !== "" || (answer.value?.total ?? 0) > MOST) && (
        <Field
          label="Part of the name"
          type="search"
          value={search.value}
          onValue={(text) => {
            search.value = text;
          }}
        />
      )}
      <Select label={label} value={value} options={options} onValue={onValue} />
    </>
  );
}
