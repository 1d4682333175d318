import type { Attempt } from "../../api/attempts.ts";
import { CallError } from "../../api/call-error.ts";
import { nameProblem } from "../../api/name-problem.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { CatalogueChoice } from "../../ui/form/catalogue-choice.tsx";
import { Choices } from "../../ui/form/choices.tsx";
import { Field } from "../../ui/form/field.tsx";
import { useSubmit } from "../../ui/form/use-submit.ts";
import { counted } from "../../ui/text/format.ts";
import { type ColumnChoice, columnsOf } from "./columns.ts";
import { type Creation, InvalidRows, invalidOf } from "./created.tsx";
import { makeEvents, type Target } from "./make-events.ts";
import type { Upload } from "./read-upload.ts";

type CreatePartProps = {
  readonly upload: Upload;
  readonly choice: ColumnChoice;
  readonly target: Target;
  readonly attempt: Attempt;
  readonly set: (change: Partial<Target>) => void;
  readonly onBack: () => void;
  readonly onColumnsRefused: (error: CallError) => void;
  readonly onCreated: (creation: Creation) => void;
};

/** Where the rows go: into a new catalogue, or into one that is there. */
export function CreatePart(props: CreatePartProps) {
  const { upload, target, set, onBack } = props;
  const { submit, error, isBusy, problemOf } = useCreation(props);
  const { into, catalogueId } = target;
  const isComplete = into === "new" || catalogueId !== "";
  const rows = counted(upload.rowCount, "row");
  const invalid = invalidOf(error.value);
  return (
    <form onSubmit={submit}>
      <Choices
        legend="Put the events into"
        value={into}
        options={[
          { value: "new", text: "a new catalogue" },
          { value: "existing", text: "an existing catalogue" },
        ]}
        onValue={(value) => set({ into: value })}
      />
      <TargetFields
        target={target}
        set={set}
        problemOf={(field) =>
          problemOf(field) ?? (field === "name" ? nameProblem(error.value) : undefined)
        }
      />
      <ErrorNotice error={error.value} />
      {invalid.length > 0 && <InvalidRows invalid={invalid} rows={upload.data} />}
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy.value || !isComplete}>
          {isBusy.value && "Creating the events…"}
          {!isBusy.value && (into === "new" ? `Create it from ${rows}` : `Add ${rows}`)}
        </button>
        <button type="button" onClick={onBack}>
          Back to the columns
        </button>
        {!isComplete && <span class="muted">Choose a catalogue first.</span>}
      </div>
    </form>
  );
}

function useCreation(props: CreatePartProps) {
  const { upload, choice, target, attempt, onColumnsRefused, onCreated } = props;
  return useSubmit(async () => {
    const columns = columnsOf(choice, upload.headers);
    const rows = { uploadId: upload.uploadId ?? "", columns };
    try {
      const made = await attempt({ ...target, columns }, (key) => makeEvents(target, rows, key));
      onCreated({ ...made, rows: upload.data });
    } catch (reason) {
      if (!isAboutColumns(reason)) throw reason;
      onColumnsRefused(reason);
    }
  });
}

function isAboutColumns(error: unknown): error is CallError {
  return (
    error instanceof CallError && error.fields.some(({ field }) => field.startsWith("columns."))
  );
}

type TargetFieldsProps = {
  readonly target: Target;
  readonly set: (change: Partial<Target>) => void;
  readonly problemOf: (field: string) => string | undefined;
};

function TargetFields({ target, set, problemOf }: TargetFieldsProps) {
  if (target.into === "new") {
    return (
      <>
        <Field
          label="Name"
          required
          value={target.name}
          problem={problemOf("name")}
          onValue={(name) => set({ name })}
        />
        <label class="inline">
          <input
            type="checkbox"
            checked={target.isPublic}
            onChange={({ currentTarget }) => set({ isPublic: currentTarget.checked })}
          />
          Public: everybody can read it, without an account
        </label>
      </>
    );
  }
  return (
    <>
      <CatalogueChoice
        value={target.catalogueId}
        problem={problemOf("catalogueId")}
        onValue={(catalogueId) => set({ catalogueId })}
      />
      <label class="inline">
        <input
          type="checkbox"
          checked={target.updateExisting}
          onChange={({ currentTarget }) => set({ updateExisting: currentTarget.checked })}
        />
        Update events that are there already and differ
      </label>
    </>
  );
}
