import type { ComponentChildren } from "preact";
import { CatalogueChoice } from "./catalogue-choice.tsx";
import { Checkbox, Choices } from "./fields.tsx";

/** Where events are put: into a new catalogue, or into one that is there. */
export type Target = {
  readonly into: "new" | "existing";
  readonly catalogueId: string;
  readonly updateExisting: boolean;
};

type TargetFieldsProps = {
  readonly legend: string;
  readonly target: Target;
  readonly set: (change: Partial<Target>) => void;
  readonly problemOf: (field: string) => string | undefined;
  /** Which events of a catalogue that is there may be updated. */
  readonly updates: string;
  /** What is asked of a new catalogue. */
  readonly children: ComponentChildren;
};

export function TargetFields(props: TargetFieldsProps) {
  const { legend, target, set, problemOf, updates, children } = props;
  return (
    <>
      <Choices
        legend={legend}
        value={target.into}
        options={[
          { value: "new", text: "a new catalogue" },
          { value: "existing", text: "an existing catalogue" },
        ]}
        onValue={(into) => set({ into })}
      />
      {target.into === "new" ? (
        children
      ) : (
        <>
          <CatalogueChoice
            value={target.catalogueId}
            problem={problemOf("catalogueId")}
            onValue={(catalogueId) => set({ catalogueId })}
          />
          <Checkbox
            checked={target.updateExisting}
            onChecked={(updateExisting) => set({ updateExisting })}
          >
            Update events {updates}
          </Checkbox>
        </>
      )}
    </>
  );
}
