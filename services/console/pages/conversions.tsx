import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useSearch } from "wouter-preact";
import type { AnswerOf, InputOf } from "../api/call.ts";
import { type ConversionChoice, conversionsOf } from "../features/merge/config/config.ts";
import { ConversionsFields } from "../features/merge/config/conversions-part.tsx";
import { type Operation, OperationView, startOperation } from "../jobs/operation.tsx";
import { type FilterValues, workStateOf } from "../model/work-state.ts";
import { CataloguePage } from "../ui/catalogue-page.tsx";
import { useAttempts } from "../ui/form/attempts.ts";
import { SubmitRow, useSubmit } from "../ui/form/submit.tsx";
import { useDraft } from "../ui/form/use-draft.ts";
import { Button, ButtonLink, type PageProps, Panel } from "../ui/page.tsx";
import { count, counted } from "../ui/text/format.ts";

/** Magnitudes of a catalogue converted to another type, by one edit; the filters of the address say of which events. */
export function Page({ params: { id = "" } }: PageProps) {
  const { filters } = workStateOf(useSearch());
  return (
    <CataloguePage id={id} title="Convert magnitudes" class="page middle">
      {() => <ConvertPart key={id} id={id} filters={filters} />}
    </CataloguePage>
  );
}

type ConvertPartProps = {
  /** Of the catalogue. */
  readonly id: string;
  /** Which events are looked at; all without any. */
  readonly filters: FilterValues;
};

const NONE: readonly ConversionChoice[] = [];

/** Converts magnitudes of a catalogue by relations that a person chooses. */
function ConvertPart({ id, filters }: ConvertPartProps) {
  const chosen = useDraft<readonly ConversionChoice[]>(`conversions ${id}`, NONE);
  const operation = useSignal<string | null>(null);
  const attempt = useAttempts();
  const isFiltered = Object.keys(filters).length > 0;
  const submission = useSubmit(async () => {
    const body = {
      conversions: conversionsOf(chosen.value),
      ...(isFiltered && { filters: bodyFiltersOf(filters) }),
    };
    const params = { id };
    operation.value = await attempt(body, (key) =>
      startOperation("POST /api/catalogues/:id/conversions", { params, body }, key),
    );
  });
  const outcome = useMemo(
    () => (ended: Operation) => <Outcome catalogue={id} operation={ended} />,
    [id],
  );
  if (operation.value !== null) {
    return (
      <>
        <OperationView key={operation.value} id={operation.value} outcome={outcome} />
        <div class="row">
          <Button onClick={() => (operation.value = null)} text="Convert others" />
        </div>
      </>
    );
  }
  return (
    <form class="panel" onSubmit={submission.submit}>
      <ConversionsFields
        chosen={chosen.value}
        onChosen={(next) => (chosen.value = next)}
        problemOf={submission.problemOf}
      />
      <p>
        {isFiltered
          ? `Only events that pass the filters are looked at: ${filterText(filters)}.`
          : "All events of the catalogue are looked at."}
      </p>
      <SubmitRow
        of={submission}
        text="Convert"
        busy="Starting…"
        isDisabled={chosen.value.length === 0}
      >
        <span class="muted">
          {chosen.value.length === 0
            ? "Choose a relation first."
            : "This makes one new version; the ones before stay."}
        </span>
      </SubmitRow>
    </form>
  );
}

/** In bodies numbers are numbers. */
function bodyFiltersOf(filters: FilterValues): Body["filters"] {
  const values = Object.entries(filters).map(([name, value]) => {
    const isNumber = /^(?:min|max)|itude$/.test(name) && value.trim() !== "";
    return [name, isNumber ? Number(value) : value];
  });
  return Object.fromEntries(values);
}

/** "min magnitude 3, max depth 40". */
function filterText(filters: FilterValues): string {
  return Object.entries(filters)
    .map(([name, value]) => `${name.replaceAll(/[A-Z]/g, " $&").toLowerCase()} ${value}`)
    .join(", ");
}

type Body = InputOf<"POST /api/catalogues/:id/conversions">["body"];
type Converted = AnswerOf<"POST /api/catalogues/:id/conversions">;

type OutcomeProps = { readonly catalogue: string; readonly operation: Operation };

function Outcome({ catalogue, operation: { status, error, result } }: OutcomeProps) {
  if (status === "running") return null;
  if (status !== "succeeded") {
    return (
      <div class="notice error" role="alert">
        <span>
          {status === "failed" ? (error?.error ?? "This failed.") : "This was cancelled."} The
          catalogue is as it was before.
        </span>
      </div>
    );
  }
  const { version, converted, outOfRange } = result as unknown as Converted;
  return (
    <Panel
      aria-label="Result"
      title={converted === 0 ? "Nothing converted" : `Version ${count(version)}`}
    >
      <p class="sum">
        <strong>{counted(converted, "magnitude")}</strong> converted.{" "}
        {outOfRange > 0 &&
          `${counted(outOfRange, "magnitude")} outside of every range stayed as they were.`}
      </p>
      <div class="row">
        <ButtonLink class="primary" href={`/catalogues/${catalogue}`} text="Open the catalogue" />
        {converted > 0 && (
          <ButtonLink
            href={`/catalogues/${catalogue}/versions?from=${version - 1}&to=${version}`}
            text="What it changed"
          />
        )}
      </div>
    </Panel>
  );
}
