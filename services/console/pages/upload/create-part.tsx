import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { createAttempts } from "../../api/attempts.ts";
import { call } from "../../api/call.ts";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Field } from "../../ui/field.tsx";
import { counted } from "../../ui/format.ts";
import { useSubmit } from "../../ui/use-submit.ts";
import { type ColumnChoice, columnsOf } from "./columns.ts";
import { type Creation, InvalidRows, invalidOf } from "./created.tsx";
import type { Upload } from "./read-upload.ts";

type CreatePartProps = {
  readonly file: File;
  readonly upload: Upload;
  readonly choice: ColumnChoice;
  readonly onCreated: (creation: Creation) => void;
};

/** The new catalogue's name, who may read it, and its creation. */
export function CreatePart({ file, upload, choice, onCreated }: CreatePartProps) {
  const name = useSignal(nameOf(file));
  const isPublic = useSignal(false);
  const attempts = useMemo(createAttempts, [upload]);
  const { submit, error, isBusy, problemOf } = useSubmit(async () => {
    const body = {
      name: name.value.trim(),
      is_public: isPublic.value,
      uploadId: upload.uploadId ?? "",
      columns: columnsOf(choice, upload.headers),
    };
    const catalogue = await attempts.run(body, (idempotencyKey) =>
      call("POST /api/catalogues", { body }, { idempotencyKey }),
    );
    onCreated({ catalogue, rows: upload.data });
  });
  const invalid = invalidOf(error.value);
  return (
    <section class="panel" aria-label="Catalogue">
      <h2>Catalogue</h2>
      <form onSubmit={submit}>
        <Field
          label="Name"
          required
          value={name.value}
          problem={problemOf("name")}
          onValue={(value) => {
            name.value = value;
          }}
        />
        <label class="inline">
          <input
            type="checkbox"
            checked={isPublic.value}
            onChange={({ currentTarget }) => {
              isPublic.value = currentTarget.checked;
            }}
          />
          Public: everybody may read it, without an account
        </label>
        {error.value !== null && <ErrorNotice error={error.value} />}
        {invalid.length > 0 && <InvalidRows invalid={invalid} rows={upload.data} />}
        <div class="row">
          <button type="submit" class="primary" disabled={isBusy.value}>
            {isBusy.value
              ? "Creating the catalogue…"
              : `Create it of ${counted(upload.rowCount, "row")}`}
          </button>
        </div>
      </form>
    </section>
  );
}

/** A file's name without what tells its format. */
function nameOf({ name }: File): string {
  return name.replace(/\.[^.]+$/, "");
}
