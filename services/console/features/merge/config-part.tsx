import { Field } from "../../ui/form/field.tsx";
import { Select } from "../../ui/form/select.tsx";
import { LINKAGES, type MergeForm, STRATEGIES } from "./merge-body.ts";

type ConfigPartProps = {
  readonly form: MergeForm;
  readonly set: (change: Partial<MergeForm>) => void;
  readonly problemOf: (field: string) => string | undefined;
};

/** When two events are one earthquake, and whose solution of it is kept. */
export function ConfigPart({ form, set, problemOf }: ConfigPartProps) {
  const strategy = STRATEGIES.find(({ value }) => value === form.mergeStrategy);
  const linkage = LINKAGES.find(({ value }) => value === form.linkage);
  return (
    <section class="panel" aria-label="Thresholds and strategy">
      <h2>Thresholds and strategy</h2>
      <p class="muted">
        Events of different sources are taken for the same earthquake if both thresholds hold.
      </p>
      <div class="field-grid wide">
        <Field
          label="Time"
          unit="s"
          type="number"
          step="any"
          min={0}
          max={3_600}
          required
          value={form.timeThreshold}
          problem={problemOf("config.timeThreshold")}
          onValue={(timeThreshold) => set({ timeThreshold })}
        />
        <Field
          label="Distance"
          unit="km"
          type="number"
          step="any"
          min={0}
          max={1_000}
          required
          value={form.distanceThreshold}
          problem={problemOf("config.distanceThreshold")}
          onValue={(distanceThreshold) => set({ distanceThreshold })}
        />
        <Select
          label="Grouping"
          value={form.linkage}
          options={LINKAGES}
          problem={problemOf("config.linkage")}
          {...(linkage && { hint: linkage.hint })}
          onValue={(value) => set({ linkage: value })}
        />
        <Select
          label="Solution that is kept"
          value={form.mergeStrategy}
          options={STRATEGIES}
          problem={problemOf("config.mergeStrategy")}
          {...(strategy && { hint: strategy.hint })}
          onValue={(mergeStrategy) => set({ mergeStrategy })}
        />
        {form.mergeStrategy === "priority" && (
          <Select
            label="Preferred source"
            value={form.priority}
            problem={problemOf("config.priority")}
            options={[
              { value: "", text: "the first in the list" },
              ...[...new Set(form.sources.map(({ label }) => label.trim()))]
                .filter((label) => label !== "")
                .map((label) => ({ value: label, text: label })),
            ]}
            onValue={(priority) => set({ priority })}
          />
        )}
      </div>
    </section>
  );
}
