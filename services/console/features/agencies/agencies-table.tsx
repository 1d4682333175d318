import { useSignal } from "@preact/signals";
import { call } from "../../api/call.ts";
import type { Report } from "../../api/readiness.ts";
import { has } from "../../api/session.ts";
import { notice } from "../../ui/call/notices.tsx";
import type { Agency } from "../../ui/call/use-agencies.ts";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { Table } from "../../ui/table.tsx";
import { counted } from "../../ui/text/format.ts";
import { Moment } from "../../ui/text/moment.tsx";
import { AgencyDialog } from "./agency-dialog.tsx";
import type { AgencyUses } from "./uses.ts";
import { DIALECTS, healthOf, limitsOf } from "./words.ts";

const DIALOGS = {
  enable: EnableAgency,
  turnOff: TurnOffAgency,
  change: AgencyDialog,
  remove: RemoveAgency,
} as const;
type Step = keyof typeof DIALOGS;

type AgenciesTableProps = {
  readonly label: string;
  readonly agencies: readonly Agency[];
  /** Null before it is known. */
  readonly report: Report | null;
  /** Null where the caller does not see schedules. */
  readonly uses: AgencyUses | null;
  readonly reload: () => void;
};

/** Agencies of which all are enabled, or none. */
export function AgenciesTable({ label, agencies, report, uses, reload }: AgenciesTableProps) {
  const open = useSignal<{ readonly step: Step; readonly agency: Agency } | null>(null);
  const areEnabled = agencies.some(({ enabled }) => enabled);
  const OpenDialog = open.value && DIALOGS[open.value.step];
  return (
    <>
      <Table
        label={label}
        kind="folds"
        columns={[
          "Agency",
          areEnabled && "State",
          areEnabled && uses !== null && "Asked by schedules",
          "How it answers",
          "Limits",
          has("admin") && { hidden: "Actions" },
        ]}
      >
        {agencies.map((agency) => (
          <Row
            key={agency.id}
            agency={agency}
            report={report}
            uses={uses}
            onStep={(step) => (open.value = { step, agency })}
          />
        ))}
      </Table>
      {open.value && OpenDialog && (
        <OpenDialog
          agency={open.value.agency}
          reload={reload}
          onClose={() => (open.value = null)}
        />
      )}
    </>
  );
}

type StepsProps = { readonly agency: Agency; readonly onStep: (step: Step) => void };
type RowProps = Pick<AgenciesTableProps, "report" | "uses"> & StepsProps;

function Row({ agency, report, uses, onStep }: RowProps) {
  const { id, name, url, enabled, dialect, push } = agency;
  return (
    <tr>
      <th scope="row">
        {name}
        <div class="purpose">{url}</div>
      </th>
      {enabled && (
        <td>
          <Health agency={agency} report={report} />
          {agency.push_since !== null && (
            <div class="purpose">
              its messages come, since <Moment at={agency.push_since} />
            </div>
          )}
        </td>
      )}
      {enabled && uses !== null && (
        <td>
          <Use uses={uses} id={id} />
        </td>
      )}
      <td class="words">
        {DIALECTS[dialect]}
        {push !== null && "; also sends news by itself"}
      </td>
      <td class="words">{limitsOf(agency)}</td>
      {has("admin") && (
        <td class="number">
          <Steps agency={agency} onStep={onStep} />
        </td>
      )}
    </tr>
  );
}

function Health({ agency, report }: Pick<AgenciesTableProps, "report"> & { agency: Agency }) {
  const health = healthOf(agency, report);
  if (health === null) {
    return <span class="muted">{report === null ? "…" : "not asked yet"}</span>;
  }
  return (
    <span class={health.isGood ? "state good" : "state bad"}>
      <span aria-hidden="true">{health.isGood ? "●" : "▲"}</span>
      <span>{health.text}</span>
    </span>
  );
}

function Use({ uses, id }: { readonly uses: AgencyUses; readonly id: string }) {
  const use = uses.get(id);
  if (use === undefined) return <span class="muted">by none</span>;
  return (
    <>
      {counted(use.schedules, "schedule")},{" "}
      {use.lastAsked === null ? (
        "not asked yet"
      ) : (
        <>
          asked last <Moment at={use.lastAsked} />
        </>
      )}
    </>
  );
}

/** What administrators do with an agency. */
function Steps({ agency: { name, kind, enabled }, onStep }: StepsProps) {
  if (kind === "first") return <span class="muted">set by the operator</span>;
  const button = (step: Step, text: string) => (
    <>
      <button type="button" aria-label={`${text} ${name}…`} onClick={() => onStep(step)}>
        {text}…
      </button>{" "}
    </>
  );
  return (
    <>
      {enabled ? button("turnOff", "Turn off") : button("enable", "Enable")}
      {button("change", "Change")}
      {kind === "added" && button("remove", "Remove")}
    </>
  );
}

type AgencyStepProps = {
  readonly agency: Agency;
  readonly reload: () => void;
  readonly onClose: () => void;
};

function EnableAgency({ agency, reload, onClose }: AgencyStepProps) {
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

function TurnOffAgency({ agency: { id, name }, reload, onClose }: AgencyStepProps) {
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

function RemoveAgency({ agency: { id, name }, reload, onClose }: AgencyStepProps) {
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
