import { Field } from "../../ui/form/field.tsx";
import { Select } from "../../ui/form/select.tsx";
import { THRESHOLDS } from "../../ui/form/thresholds.ts";
import { LINKAGES, type MergeForm, STRATEGIES } from "./merge-body.ts";

type ConfigPartProps = {
  readonly form: MergeForm;
  readonly set: (change: Partial<MergeForm>) => void;
  readonly problemOf: (field: string) => string | undefined;
};

const HELP = {
  timeThreshold: "Between the origin times.",
  distanceThreshold: "Between the epicentres.",
} as const;

/** When two events are one earthquake, and whose solution of it is kept. */
export function ConfigPart({ form, set, problemOf }: ConfigPartProps) {
  const strategy = STRATEGIES.find(({ value }) => value === form.mergeStrategy);
  const linkage = LINKAGES.find(({ value }) => value === form.linkage);
  return (
    <section class="panel" aria-label="Thresholds and strategy">
      <h2>Thresholds and strategy</h2>
      <p class="muted">
        Two events of different sources are taken for the same earthquake if they are no farther
        apart than this, in time and in place. Depths and magnitudes are not compared.
      </p>
      <div class="field-grid">
        {THRESHOLDS.map(({ name, ...field }) => (
          <Field
            key={name}
            {...field}
            hint={HELP[name]}
            type="number"
            step="any"
            required
            value={form[name]}
            problem={problemOf(`config.${name}`)}
            onValue={(value) => set({ [name]: value })}
          />
        ))}
      </div>
      <div class="stack">
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
          <PreferredSource form={form} set={set} problemOf={problemOf} />
        )}
      </div>
    </section>
  );
}

function PreferredSource({ form, set, problemOf }: ConfigPartProps) {
  return (
    <Select
      label="Preferred source"
      value={form.priority}
      problem={problemOf("config.priority")}
      options={[{ value: "", text: "the first in the list" }, ...labelsOf(form)]}
      onValue={(priority) => set({ priority })}
    />
  );
}

function labelsOf({ sources }: MergeForm): { readonly value: string; readonly text: string }[] {
  const labels = new Set(sources.map(({ label }) => label.trim()));
  return [...labels].filter((label) => label !== "").map((value) => ({ value, text: value }));
}
