import { call } from "../../api/call.ts";
import { notice } from "../../ui/call/notices.tsx";
import type { Agency } from "../../ui/call/use-agencies.ts";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { DIALECTS } from "./words.ts";

type AgencyStepProps = {
  readonly agency: Agency;
  readonly reload: () => void;
  readonly onClose: () => void;
};

export function EnableAgency({ agency, reload, onClose }: AgencyStepProps) {
  const { id, name, url, dialect } = agency;
  const enable = async (idempotencyKey: string) => {
    const body = { enabled: true };
    await call("PATCH /api/agencies/:id", { params: { id }, body }, { idempotencyKey });
    notice.done(`Events can be imported from ${name} now.`);
    reload();
  };
  return (
    <ConfirmDialog title={`Enable ${name}`} action="Enable it" run={enable} onClose={onClose}>
      <p>
        Editors can then import from {name} and keep catalogues current from it. This service asks
        it at <span class="code">{url}</span> ({DIALECTS[dialect]}), and only when an import needs
        it.
      </p>
    </ConfirmDialog>
  );
}

export function TurnOffAgency({ agency: { id, name }, reload, onClose }: AgencyStepProps) {
  const turnOff = async (idempotencyKey: string) => {
    const body = { enabled: false };
    await call("PATCH /api/agencies/:id", { params: { id }, body }, { idempotencyKey });
    notice.done(`${name} is not asked any more.`);
    reload();
  };
  return (
    <ConfirmDialog title={`Turn off ${name}`} action="Turn it off" run={turnOff} onClose={onClose}>
      <p>
        Nothing more is imported from {name}, and schedules that ask it fail until it is enabled
        again. What has been imported stays.
      </p>
    </ConfirmDialog>
  );
}

export function RemoveAgency({ agency: { id, name }, reload, onClose }: AgencyStepProps) {
  const remove = async (idempotencyKey: string) => {
    await call("DELETE /api/agencies/:id", { params: { id } }, { idempotencyKey });
    notice.done(`${name} is removed.`);
    reload();
  };
  return (
    <ConfirmDialog
      title={`Remove ${name}`}
      action="Remove it"
      isDanger
      run={remove}
      onClose={onClose}
    >
      <p>
        Its address and settings are forgotten. What was imported from it stays. An agency that a
        schedule asks cannot be removed: end the schedule first.
      </p>
    </ConfirmDialog>
  );
}
