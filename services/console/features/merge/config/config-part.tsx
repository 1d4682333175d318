import { Field } from "../../../ui/form/field.tsx";
import { Select } from "../../../ui/form/select.tsx";
import { THRESHOLDS } from "../../../ui/form/thresholds.ts";
import { FurtherPart } from "./further-part.tsx";
import type { ConfigForm } from "./merge-body.ts";
import { LINKAGES, STRATEGIES } from "./strategies.ts";

type ConfigPartProps = {
  readonly form: ConfigForm;
  /** Of the sources. */
  readonly labels: readonly string[];
  readonly set: (change: Partial<ConfigForm>) => void;
  readonly problemOf: (field: string) => string | undefined;
  /** The fields that were refused, by their paths. */
  readonly refused: readonly string[];
};

const HELP = {
  timeThreshold: "Between the origin times.",
  distanceThreshold: "Between the epicentres.",
} as const;

/** When two events are one earthquake, and whose solution of it is kept. */
export function ConfigPart({ form, labels, set, problemOf, refused }: ConfigPartProps) {
  const strategy = STRATEGIES.find(({ value }) => value === form.mergeStrategy);
  const linkage = LINKAGES.find(({ value }) => value === form.linkage);
  const given = [...new Set(labels.map((label) => label.trim()))].filter((label) => label !== "");
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
          <Select
            label="Preferred source"
            value={form.priority}
            problem={problemOf("config.priority")}
            options={[
              { value: "", text: "the first in the list" },
              ...given.map((value) => ({ value, text: value })),
            ]}
            onValue={(priority) => set({ priority })}
          />
        )}
      </div>
      <FurtherPart
        form={form.further}
        set={(change) => set({ further: { ...form.further, ...change } })}
        labels={given}
        problemOf={(field) => problemOf(`config.${field}`)}
        hasProblem={(part) => refused.some((field) => field.startsWith(`config.${part}`))}
      />
    </section>
  );
}
