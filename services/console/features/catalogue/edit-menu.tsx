import { useSignal } from "@preact/signals";
import { Link } from "wouter-preact";
import type { FilterValues } from "../../model/filters.ts";
import { Menu } from "../../ui/menu.tsx";
import type { ChangeDialogProps } from "./catalogue-change.ts";
import { DeleteCatalogue } from "./delete-catalogue.tsx";
import { PublishCatalogue } from "./publish-catalogue.tsx";
import { RenameCatalogue } from "./rename-catalogue.tsx";

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
