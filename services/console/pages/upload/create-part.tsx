import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { createAttempts } from "../../api/attempts.ts";
import { Choices } from "../../ui/choices.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Field } from "../../ui/field.tsx";
import { counted } from "../../ui/format.ts";
import { useSubmit } from "../../ui/use-submit.ts";
import { CatalogueChoice } from "../catalogue-choice.tsx";
import { type ColumnChoice, columnsOf } from "./columns.ts";
import { type Creation, InvalidRows, invalidOf } from "./created.tsx";
import { makeEvents, type Target } from "./make-events.ts";
import type { Upload } from "./read-upload.ts";

type CreatePartProps = {
  readonly file: File;
  readonly upload: Upload;
  readonly choice: ColumnChoice;
  readonly onCreated: (creation: Creation) => void;
};

/** Where the rows go: into a new catalogue, or into one that is there. */
export function CreatePart({ file, upload, choice, onCreated }: CreatePartProps) {
  const target = useSignal<Target>({
    into: "new",
    name: nameOf(file),
    isPublic: false,
    catalogueId: "",
    updateExisting: false,
  });
  const attempts = useMemo(createAttempts, [upload]);
  const { submit, error, isBusy, problemOf } = useSubmit(async () => {
    const columns = columnsOf(choice, upload.headers);
    const rows = { uploadId: upload.uploadId ?? "", columns };
    const made = await attempts.run({ ...target.value, columns }, (key) =>
      makeEvents(target.value, rows, key),
    );
    onCreated({ ...made, rows: upload.data });
  });
  const set = (change: Partial<Target>) => {
    target.value = { ...target.value, ...change };
  };
  const { into, catalogueId } = target.value;
  const isComplete = into === "new" || catalogueId !== "";
  const rows = counted(upload.rowCount, "row");
  const invalid = invalidOf(error.value);
  return (
    <section class="panel" aria-label="Into">
      <form onSubmit={submit}>
        <Choices
          legend="Into"
          value={into}
          options={[
            { value: "new", text: "a new catalogue" },
            { value: "existing", text: "one that is there" },
          ]}
          onValue={(value) => set({ into: value })}
        />
        <TargetFields target={target.value} set={set} problemOf={problemOf} />
        {error.value !== null && <ErrorNotice error={error.value} />}
        {invalid.length > 0 && <InvalidRows invalid={invalid} rows={upload.data} />}
        <div class="row">
          <button type="submit" class="primary" disabled={isBusy.value || !isComplete}>
            {isBusy.value && "Making events…"}
            {!isBusy.value && (into === "new" ? `Create it of ${rows}` : `Add ${rows}`)}
          </button>
          {!isComplete && <span class="muted">Choose a catalogue first.</span>}
        </div>
      </form>
    </section>
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
          Public: everybody may read it, without an account
        </label>
      </>
    );
  }
  return (
    <>
      <CatalogueChoice value={target.catalogueId} onValue={(catalogueId) => set({ catalogueId })} />
      <label class="inline">
        <input
          type="checkbox"
          checked={target.updateExisting}
          onChange={({ currentTarget }) => set({ updateExisting: currentTarget.checked })}
        />
        Replace events that are there and differ
      </label>
    </>
  );
}

/** A file's name without what tells its format. */
function nameOf({ name }: File): string {
  return name.replace(/\.[^.]+$/, "");
}
