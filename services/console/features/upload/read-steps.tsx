import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import type { ColumnChoice } from "./columns.ts";
import { ColumnsPart } from "./columns-part.tsx";
import { CreatePart } from "./create-part.tsx";
import type { Creation } from "./created.tsx";
import { newTarget, type Target } from "./make-events.ts";
import type { Reading } from "./read-upload.ts";
import { ReportPart } from "./report-part.tsx";

/** The steps that follow the reading of a file. */
export const READ_STEPS = ["report", "columns", "create"] as const;
type ReadStep = (typeof READ_STEPS)[number];

/** What has been entered since the file was read. */
export type Entries = {
  readonly step: ReadStep;
  readonly choice: ColumnChoice;
  readonly target: Target;
};

/** Before anything is entered. @param catalogueId the rows go into it; empty for a new one */
export function newEntries(fileName: string, catalogueId: string): Entries {
  return { step: "report", choice: {}, target: newTarget(fileName, catalogueId) };
}

const TITLES: Readonly<Record<ReadStep, string>> = {
  report: "Report",
  columns: "Columns",
  create: "Catalogue",
};

type ReadStepsProps = {
  readonly reading: Reading;
  readonly entries: Entries;
  readonly set: (change: Partial<Entries>) => void;
  readonly onCreated: (creation: Creation) => void;
};

export function ReadSteps({ reading, entries, set, onCreated }: ReadStepsProps) {
  const { upload } = reading;
  const { step, choice, target } = entries;
  /** Why the service did not take the columns. */
  const refusal = useSignal<unknown>(null);
  // One for all visits of the last step, so that going back does not make an attempt another one.
  const attempt = useAttempts(reading);
  const heading = useFocusOnChange(step);
  const go = (to: ReadStep) => set({ step: to });
  return (
    <section class="panel" aria-labelledby="read-step">
      <h2 id="read-step" ref={heading} tabIndex={-1}>
        {TITLES[step]}
      </h2>
      {step === "report" && (
        <ReportPart reading={reading}>
          <button type="button" class="primary" onClick={() => go("columns")}>
            Go on to the columns
          </button>
        </ReportPart>
      )}
      {step === "columns" && (
        <ColumnsPart
          upload={upload}
          choice={choice}
          refusal={refusal.value}
          onChoice={(next) => {
            refusal.value = null;
            set({ choice: next });
          }}
          onBack={() => go("report")}
          onDone={() => go("create")}
        />
      )}
      {step === "create" && (
        <CreatePart
          upload={upload}
          choice={choice}
          target={target}
          attempt={attempt}
          set={(change) => set({ target: { ...target, ...change } })}
          onBack={() => go("columns")}
          onColumnsRefused={(error) => {
            refusal.value = error;
            go("columns");
          }}
          onCreated={onCreated}
        />
      )}
    </section>
  );
}

/** The heading of another step takes the focus from the button that has gone. */
function useFocusOnChange(step: ReadStep) {
  const heading = useRef<HTMLHeadingElement>(null);
  const last = useRef(step);
  useEffect(() => {
    if (last.current !== step) heading.current?.focus();
    last.current = step;
  }, [step]);
  return heading;
}
