import { useSignal } from "@preact/signals";
import { Link, useLocation } from "wouter-preact";
import { call } from "../../api/call.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Menu } from "../../ui/menu.tsx";
import { notice } from "../../ui/notices.tsx";
import { useAction } from "../../ui/use-action.ts";
import type { Catalogue } from "./page.tsx";

type EditMenuProps = { readonly catalogue: Catalogue; readonly reload: () => void };

/** What editors change of a catalogue as a whole. */
export function EditMenu({ catalogue, reload }: EditMenuProps) {
  const { id, name, is_public } = catalogue;
  const asked = useSignal<"rename" | "delete" | null>(null);
  const typed = useSignal(name);
  const [, navigate] = useLocation();
  const { run } = useAction();
  const close = () => {
    asked.value = null;
  };
  const publish = () =>
    run(async () => {
      await call("PATCH /api/catalogues/:id", { params: { id }, body: { is_public: !is_public } });
      notice.done(is_public ? "The catalogue is private" : "The catalogue is public");
      reload();
    });
  return (
    <>
      <Menu text="Edit">
        <li>
          <button type="button" class="plain" onClick={() => (asked.value = "rename")}>
            Rename…
          </button>
        </li>
        <li>
          <button type="button" class="plain" onClick={publish}>
            {is_public ? "Make private" : "Publish"}
          </button>
        </li>
        <li>
          <Link href={`/import?catalogueId=${id}`}>Import into it…</Link>
        </li>
        <li>
          <Link href={`/catalogues/${id}/imports`}>Imports</Link>
        </li>
        <li>
          <Link href={`/catalogues/${id}/shares`}>Shares</Link>
        </li>
        <li>
          <button type="button" class="plain" onClick={() => (asked.value = "delete")}>
            Delete…
          </button>
        </li>
      </Menu>
      {asked.value === "rename" && (
        <ConfirmDialog
          title="Rename the catalogue"
          action="Rename"
          run={async () => {
            const body = { name: typed.value };
            await call("PATCH /api/catalogues/:id", { params: { id }, body });
            reload();
          }}
          onClose={close}
        >
          <Field
            label="Name"
            required
            value={typed.value}
            onValue={(value) => {
              typed.value = value;
            }}
          />
        </ConfirmDialog>
      )}
      {asked.value === "delete" && (
        <ConfirmDialog
          title="Delete the catalogue"
          action="Delete"
          name={name}
          run={async () => {
            await call("DELETE /api/catalogues/:id", { params: { id } });
            navigate("/catalogues");
          }}
          onClose={close}
        >
          <p>
            Its events can no longer be read, here or by programs. The record of each version and
            its citation stay.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
