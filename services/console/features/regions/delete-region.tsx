import { useLocation } from "wouter-preact";
import { call } from "../../api/call.ts";
import { notice } from "../../ui/call/notices.tsx";
import type { SavedRegion } from "../../ui/call/use-saved-regions.ts";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";

type DeleteRegionProps = { readonly region: SavedRegion; readonly onClose: () => void };

export function DeleteRegion({ region: { id, name }, onClose }: DeleteRegionProps) {
  const [, navigate] = useLocation();
  const end = async (idempotencyKey: string) => {
    await call("DELETE /api/regions/:id", { params: { id } }, { idempotencyKey });
    notice.done(`The region ${name} is deleted.`);
    navigate("/regions");
  };
  return (
    <ConfirmDialog title={`Delete ${name}`} action="Delete it" isDanger run={end} onClose={onClose}>
      <p>
        Addresses that filter by this region stop working. A region that a schedule imports by
        cannot be deleted.
      </p>
    </ConfirmDialog>
  );
}
