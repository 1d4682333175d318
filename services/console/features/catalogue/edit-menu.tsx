import { useSignal } from "@preact/signals";
import { Link, useLocation } from "wouter-preact";
import { call } from "../../api/call.ts";
import { nameProblem } from "../../api/name-problem.ts";
import type { Catalogue } from "../../model/operation-types.ts";
import type { FilterValues } from "../../model/work-state.ts";
import { ErrorNotice, notice } from "../../ui/call/notices.tsx";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { bound, Field } from "../../ui/form/field.tsx";
import { Checkbox } from "../../ui/form/inputs.tsx";
import { problemOf } from "../../ui/form/submit.tsx";
import { Menu } from "../../ui/menu.tsx";
import { count, events } from "../../ui/text/format.ts";
import { type SeenCatalogue, useSeenCatalogue } from "./use-seen-catalogue.ts";

const DIALOGS = {
  rename: RenameCatalogue,
  publish: PublishCatalogue,
  delete: DeleteCatalogue,
} as const;

type EditMenuProps = Omit<ChangeDialogProps, "onClose"> & {
  /** Of what is seen. */
  readonly filters: FilterValues;
};

/** What editors change of a catalogue as a whole. */
export function EditMenu({ catalogue, filters, onChanged }: EditMenuProps) {
  const { id, access, is_public } = catalogue;
  const open = useSignal<keyof typeof DIALOGS | null>(null);
  const entry = (dialog: keyof typeof DIALOGS, text: string, place?: "apart") => (
    <li class={place}>
      <button type="button" class="plain" onClick={() => (open.value = dialog)}>
        {text}
      </button>
    </li>
  );
  const OpenDialog = open.value && DIALOGS[open.value];
  return (
    <>
      <Menu text="Edit">
        <li>
          <Link href={`/catalogues/${id}/add-event`}>Add an event…</Link>
        </li>
        <li>
          <Link href={`/import?catalogueId=${id}`}>Import into it…</Link>
        </li>
        <li>
          <Link href={`/catalogues/${id}/duplicates`}>Duplicates in it…</Link>
        </li>
        <li>
          <Link href={`/catalogues/${id}/conversions${queryOf(filters)}`}>Convert magnitudes…</Link>
        </li>
        <li>
          <Link href={`/catalogues/${id}/metadata`}>Citation details…</Link>
        </li>
        {entry("rename", "Rename…")}
        {access !== "restricted" && entry("publish", is_public ? "Make internal…" : "Publish…")}
        <li>
          <Link href={`/catalogues/${id}/access`}>Access and members…</Link>
        </li>
        <li class="apart">
          <Link href={`/catalogues/${id}/imports`}>Imports</Link>
        </li>
        <li>
          <Link href={`/catalogues/${id}/schedules`}>Kept current</Link>
        </li>
        <li>
          <Link href={`/catalogues/${id}/shares`}>Shares</Link>
        </li>
        {entry("delete", "Delete…", "apart")}
      </Menu>
      {OpenDialog && (
        <OpenDialog
          catalogue={catalogue}
          onChanged={onChanged}
          onClose={() => (open.value = null)}
        />
      )}
    </>
  );
}

function queryOf(filters: FilterValues): string {
  const query = new URLSearchParams(filters);
  return query.size === 0 ? "" : `?${query}`;
}

/** Deletes a catalogue, when its name has been typed. */
function DeleteCatalogue({ catalogue, onClose }: ChangeDialogProps) {
  const { id } = catalogue;
  const now = useSeenCatalogue(id);
  const [, navigate] = useLocation();
  const name = now.seen?.name ?? catalogue.name;
  const remove = async () => {
    await now.write("delete", (options) =>
      call("DELETE /api/catalogues/:id", { params: { id } }, options),
    );
    notice.done(`“${name}” is deleted`);
    navigate("/catalogues");
  };
  return (
    <ConfirmDialog
      title="Delete the catalogue"
      action="Delete"
      name={name}
      isReady={now.seen !== null}
      run={remove}
      onClose={onClose}
    >
      <p>
        Its events can no longer be read, here or by programs. The record of each version and its
        citation stay.
      </p>
      <ChangesOfOthers loaded={catalogue} now={now} />
    </ConfirmDialog>
  );
}

function RenameCatalogue({ catalogue, onChanged, onClose }: ChangeDialogProps) {
  const { id } = catalogue;
  const typed = useSignal(catalogue.name);
  const now = useSeenCatalogue(id);
  const refusal = useSignal<unknown>(null);
  const rename = async () => {
    const body = { name: typed.value };
    refusal.value = null;
    try {
      await now.write(body, (options) =>
        call("PATCH /api/catalogues/:id", { params: { id }, body }, options),
      );
    } catch (reason) {
      refusal.value = reason;
      throw reason;
    }
    onChanged({ name: typed.value.trim() });
  };
  return (
    <ConfirmDialog
      title="Rename the catalogue"
      action="Rename"
      isReady={now.seen !== null}
      run={rename}
      onClose={onClose}
    >
      <Field
        label="Name"
        required
        {...bound(typed)}
        problem={problemOf(refusal.value, "name") ?? nameProblem(refusal.value)}
      />
      <ChangesOfOthers loaded={catalogue} now={now} />
    </ConfirmDialog>
  );
}

/** Makes a catalogue public or internal, after saying who can read what then. */
function PublishCatalogue({ catalogue, onChanged, onClose }: ChangeDialogProps) {
  const { id, is_public: isPublic } = catalogue;
  const withHistory = useSignal(false);
  const now = useSeenCatalogue(id);
  const version = now.seen?.version ?? catalogue.version;
  const publish = async () => {
    const body = isPublic
      ? { is_public: false }
      : { is_public: true, ...(withHistory.value && { publishHistory: true }) };
    await now.write(body, (options) =>
      call("PATCH /api/catalogues/:id", { params: { id }, body }, options),
    );
    notice.done(isPublic ? "The catalogue is internal" : "The catalogue is public");
    onChanged({ is_public: !isPublic, access: isPublic ? "internal" : "public" });
  };
  return (
    <ConfirmDialog
      title={isPublic ? "Make the catalogue internal" : "Publish the catalogue"}
      action={isPublic ? "Make internal" : "Publish"}
      isReady={now.seen !== null}
      run={publish}
      onClose={onClose}
    >
      {isPublic ? (
        <p>Guests can no longer read its events; everybody who is signed in can.</p>
      ) : (
        <>
          <p>
            Everybody can read its events, without an account:{" "}
            {version > 0 ? `version ${count(version)} and all later ones` : "all versions to come"}.
          </p>
          {version > 1 && (
            <Checkbox
              checked={withHistory.value}
              onChecked={(isChecked) => (withHistory.value = isChecked)}
            >
              The earlier versions too
            </Checkbox>
          )}
        </>
      )}
      <ChangesOfOthers loaded={catalogue} now={now} />
    </ConfirmDialog>
  );
}

type ChangesOfOthersProps = {
  /** As the page shows it. */
  readonly loaded: Catalogue;
  readonly now: SeenCatalogue;
};

/** What others have changed of a catalogue since the page was loaded. */
function ChangesOfOthers({ loaded, now: { seen, error, retry } }: ChangesOfOthersProps) {
  if (error !== null) return <ErrorNotice error={error} retry={retry} />;
  if (seen === null) return null;
  const changes = [
    seen.name !== loaded.name && `it is called “${seen.name}”`,
    seen.access !== loaded.access && `it is ${seen.access}`,
    seen.version !== loaded.version &&
      `version ${count(seen.version)} has arrived, with ${events(seen.event_count)}`,
  ].filter((change) => change !== false);
  if (changes.length === 0) return null;
  return <p class="notice warning">Since this page was loaded: {changes.join("; ")}.</p>;
}

/** What editors change of a catalogue without a new version. */
export type CatalogueChange = Partial<Pick<Catalogue, "name" | "is_public" | "access">>;

type ChangeDialogProps = {
  readonly catalogue: Catalogue;
  readonly onChanged: (change: CatalogueChange) => void;
  readonly onClose: () => void;
};
