import { useSignal } from "@preact/signals";
import { AreaMap } from "../../map/area-map.tsx";
import { Field } from "../../ui/form/field.tsx";
import { areaOf, BOUNDS, withArea } from "./import-body.ts";
import type { PartProps } from "./part-props.ts";

/** What earthquakes are asked for, by fields or by a map. */
export function BoundsPart({ form, set, problemOf }: PartProps) {
  const isOpen = useSignal(false);
  return (
    <section class="panel">
      <h2>Bounds</h2>
      <p class="muted">
        Leave a field empty where there is no bound; bounds are inclusive. A longitude from 170° to
        −170° reaches across the date line.
      </p>
      <div class="field-grid pairs">
        {BOUNDS.map((bound) => (
          <Field
            key={bound.field}
            label={bound.label}
            {...("unit" in bound && { unit: bound.unit })}
            type="number"
            step="any"
            {...(bound.least !== undefined && { min: bound.least, max: bound.most })}
            value={form.bounds[bound.field] ?? ""}
            problem={problemOf(bound.field)}
            onValue={(typed) => set({ bounds: { ...form.bounds, [bound.field]: typed } })}
          />
        ))}
      </div>
      <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary>On a map</summary>
        {isOpen.value && (
          <AreaMap
            area={areaOf(form.bounds)}
            onArea={(area) => set({ bounds: withArea(form.bounds, area) })}
          />
        )}
      </details>
    </section>
  );
}
