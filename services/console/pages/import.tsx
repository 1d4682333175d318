import { useMemo } from "preact/hooks";
import { useSearchParams } from "wouter-preact";
import type { ImportResult } from "#contracts/http/imports.ts";
import type { CatalogueAccess } from "#contracts/rights.ts";
import { carriedOf, importBodyOf, NEW_FORM } from "../features/import/import-body.ts";
import { type Operation, OperationView, Outcome, startOperation } from "../jobs/operation.tsx";
import { BoundsPart } from "../map/bounds-part.tsx";
import {
  type CarriedSettings,
  carriedIn,
  carriedQuery,
  newScheduleAddress,
  type TypedBounds,
} from "../model/typed-bounds.ts";
import { AccessSelect } from "../ui/access.tsx";
import { AgencyChoice, isAsked, useAgencies } from "../ui/agencies.tsx";
import { Choices } from "../ui/form/fields.tsx";
import { choice, custom, input, type Shown, useForm } from "../ui/form/form.tsx";
import { nameProblem, problemOf, SubmitRow } from "../ui/form/submit.tsx";
import { TargetFields } from "../ui/form/target-fields.tsx";
import { useDraft } from "../ui/form/use-draft.ts";
import { ButtonLink, Frame } from "../ui/page.tsx";

/** The operation stands in the address, so that its progress is found again after a reload. */
export function Page() {
  const [query, setQuery] = useSearchParams();
  const operation = query.get("operation");
  return (
    <Frame
      title="Import from an agency"
      class={operation === null ? "page" : "page middle"}
      back={operation !== null && ["/import", "Another import"]}
    >
      {operation === null ? (
        <ImportFields
          key={query.get("catalogueId")}
          catalogueId={query.get("catalogueId") ?? ""}
          onStarted={(id, carried) => setQuery(`${carriedQuery(carried)}&operation=${id}`)}
        />
      ) : (
        <OperationView
          key={operation}
          id={operation}
          outcome={(shown) => (
            <>
              <Outcome operation={shown} />
              <KeepCurrent operation={shown} carried={carriedIn(query)} />
            </>
          )}
        />
      )}
    </Frame>
  );
}

type KeepCurrentProps = { readonly operation: Operation; readonly carried: CarriedSettings };

/** Leads on to a schedule that goes on with what was imported. */
function KeepCurrent({ operation: { status, result }, carried }: KeepCurrentProps) {
  const { catalogueId } = (result ?? {}) as Partial<ImportResult>;
  if (status !== "succeeded" || catalogueId === undefined) return null;
  return (
    <p class="row">
      <ButtonLink href={newScheduleAddress(catalogueId, carried)} text="Keep this current…" />
      <span class="muted">The agency is asked for the same again and again.</span>
    </p>
  );
}

const WINDOWS = [
  { value: "hours", text: "the last hours" },
  { value: "dates", text: "between two times" },
] as const;
const NO_BOUNDS: TypedBounds = {};
const nothing = () => null;

const FIELDS = {
  agency: custom("", (shown) => <AgencyOfImport {...shown} />),
  window: custom<"hours" | "dates">("hours", (shown) => (
    <Choices legend="Time" options={WINDOWS} {...shown} />
  )),
  hours: input({
    label: "Last",
    unit: "hours",
    type: "number",
    step: "any",
    min: 0,
    required: true,
  }),
  startDate: input({ label: "From", unit: "UTC", required: true, placeholder: "2024-01-31 12:00" }),
  endDate: input({ label: "To", unit: "UTC", placeholder: "now" }),
  bounds: custom(NO_BOUNDS, nothing),
  region: custom("", nothing),
  into: custom<"new" | "existing">("new", nothing),
  catalogueId: custom("", nothing),
  updateExisting: custom(true, nothing),
  catalogueName: input({
    label: "Name",
    hint: "If it is left empty: the agency’s name and the time.",
    problemIn: (error) => problemOf(error, "catalogueName") ?? nameProblem(error),
  }),
  access: custom<CatalogueAccess>("internal", (shown) => <AccessSelect {...shown} />),
  detail: choice<"full" | "summary">("Detail", [
    { value: "full", text: "full: all that the agency knows" },
    { value: "summary", text: "summary: time, place and magnitude only, much faster" },
  ]),
};

type ImportFieldsProps = {
  /** Empty for a new catalogue. */
  readonly catalogueId: string;
  /** Gets also what a schedule could go on with. */
  readonly onStarted: (operation: string, carried: CarriedSettings) => void;
};

function ImportFields({ catalogueId, onStarted }: ImportFieldsProps) {
  const initial = useMemo(
    () => ({ ...NEW_FORM, catalogueId, into: catalogueId === "" ? NEW_FORM.into : "existing" }),
    [catalogueId],
  );
  const form = useDraft(`import ${catalogueId}`, initial);
  const { field, set, problemOf, ...submission } = useForm(
    {
      fields: FIELDS,
      run: (options) =>
        startOperation("POST /api/import/agency", { body: importBodyOf(form.value) }, options),
      after: (operation) => {
        const carried = carriedOf(form.value);
        form.value = initial;
        onStarted(operation, carried);
      },
    },
    form,
  );
  const { into, catalogueId: chosen, window } = form.value;
  const isComplete = into === "new" || chosen !== "";
  return (
    <form class="sheets" onSubmit={submission.submit}>
      <section class="panel">
        {field("agency")}
        {field("window")}
        <div class="field-grid">
          {window === "hours" ? field("hours") : [field("startDate"), field("endDate")]}
        </div>
      </section>
      <BoundsPart asked={form.value} set={set} problemOf={problemOf} />
      <section class="panel">
        <TargetFields
          legend="Put them into"
          target={form.value}
          set={set}
          problemOf={problemOf}
          updates="that the agency has changed"
        >
          {field("catalogueName")}
          {field("access")}
        </TargetFields>
        {field("detail")}
      </section>
      <SubmitRow of={submission} text="Start the import" busy="Starting…" isDisabled={!isComplete}>
        {!isComplete && <span class="muted">Choose a catalogue first.</span>}
        {isComplete && into === "existing" && (
          <ButtonLink
            href={newScheduleAddress(chosen, carriedOf(form.value))}
            text="Keep this current…"
          />
        )}
      </SubmitRow>
    </form>
  );
}

function AgencyOfImport(shown: Shown<string>) {
  return <AgencyChoice {...shown} agencies={useAgencies().last} among={isAsked} />;
}
