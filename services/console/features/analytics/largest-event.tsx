import { useSignal } from "@preact/signals";
import type { AnalysisQuery } from "../../api/analysis.ts";
import { call } from "../../api/call.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { notice } from "../../ui/call/notices.tsx";
import { useAction } from "../../ui/call/use-action.ts";
import { bound } from "../../ui/form/bound.ts";
import { Field } from "../../ui/form/field.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { PARAMETERS } from "./parameters.ts";
import type { SetParameters } from "./use-parameters.ts";

type LargestEventProps = {
  readonly catalogue: Catalogue;
  readonly filters: AnalysisQuery;
  readonly set: SetParameters;
};

/** Asks for the main shock, without which there are no aftershocks; the largest event is a good guess. */
export function LargestEvent({ catalogue, filters, set }: LargestEventProps) {
  const typed = useSignal("");
  const { isBusy, run } = useAction();
  const name = PARAMETERS.mainshock.name;
  const take = () =>
    run(async () => {
      const { events } = await call("GET /api/catalogues/:id/events/filtered", {
        params: { id: catalogue.id },
        query: { asOf: String(catalogue.version), ...filters, orderBy: "magnitude", limit: 1 },
      });
      const [largest] = events;
      if (largest) set({ [name]: largest.id }, "push");
      else notice.error(new Error("No event passes the filters"));
    });
  return (
    <form
      class="panel main-shock"
      onSubmit={(event) => {
        event.preventDefault();
        set({ [name]: typed.value.trim() }, "push");
      }}
    >
      <Field
        label={PARAMETERS.mainshock.label}
        required
        {...bound(typed)}
        hint="Its aftershocks are the events after it, within a radius if you give one."
      />
      <SubmitRow text="Show its aftershocks">
        <button type="button" disabled={isBusy.value} onClick={take}>
          Take the largest event
        </button>
      </SubmitRow>
    </form>
  );
}
