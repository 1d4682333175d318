import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { createAttempts } from "../../api/attempts.ts";
import { call } from "../../api/call.ts";
import type { InputOf } from "../../api/operation-types.ts";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Field } from "../../ui/field.tsx";
import { counted } from "../../ui/format.ts";
import { useSubmit } from "../../ui/use-submit.ts";
import { type ColumnChoice, withColumns } from "./columns.ts";
import { type Creation, InvalidRows, invalidOf } from "./created.tsx";
import type { Upload } from "./read-upload.ts";

type Body = InputOf<"POST /api/catalogues">["body"];

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
    const given = { name: name.value.trim(), is_public: isPublic.value };
    const rows = withColumns(upload.data, choice);
    const catalogue = await attempts.run({ ...given, choice }, (idempotencyKey) =>
      call(
        "POST /api/catalogues",
        { body: { ...given, events: rows } as unknown as Body },
        { idempotencyKey },
      ),
    );
    onCreated({ catalogue, rows });
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
