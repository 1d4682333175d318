import { Checkbox } from "../../../ui/form/checkbox.tsx";
import { Field } from "../../../ui/form/field.tsx";
import { ConversionsFields, conversionsTold } from "./conversions-part.tsx";
import { Folded } from "./folded.tsx";
import type { PartProps } from "./part-props.ts";
import { PreferFields, preferTold } from "./prefer-part.tsx";
import { WindowsFields, windowsTold } from "./windows-part.tsx";

type FurtherPartProps = PartProps & {
  readonly labels: readonly string[];
  /** Whether something in a part was refused. */
  readonly hasProblem: (part: string) => boolean;
};

/** What only some merges need, each folded away under a sentence. */
export function FurtherPart({ labels, hasProblem, ...part }: FurtherPartProps) {
  const { form, set, problemOf } = part;
  const stations = form.minMagnitudeStations.trim();
  return (
    <div class="foldeds">
      <Folded
        sentence="Take the magnitude or the mechanisms by another rule than the location"
        told={preferTold(form)}
        hasProblem={hasProblem("prefer")}
      >
        {() => <PreferFields {...part} />}
      </Folded>
      <Folded
        sentence="Do not let a magnitude of few stations win"
        told={stations === "" ? "" : `${stations} at least`}
        hasProblem={hasProblem("minMagnitudeStations")}
      >
        {() => (
          <Field
            label="Stations at least"
            type="number"
            min={1}
            hint="A magnitude of fewer stations, or of an unknown number, is taken only where there is no other."
            value={form.minMagnitudeStations}
            problem={problemOf("minMagnitudeStations")}
            onValue={(minMagnitudeStations) => set({ minMagnitudeStations })}
          />
        )}
      </Folded>
      <Folded
        sentence="Use other thresholds for some sources, years or magnitudes"
        told={windowsTold(form)}
        hasProblem={hasProblem("windows")}
      >
        {() => <WindowsFields {...part} labels={labels} />}
      </Folded>
      <Folded
        sentence="Convert magnitudes to one type"
        told={conversionsTold(form)}
        hasProblem={hasProblem("conversions")}
      >
        {() => (
          <ConversionsFields
            chosen={form.conversions}
            onChosen={(conversions) => set({ conversions })}
            problemOf={problemOf}
          />
        )}
      </Folded>
      <Folded
        sentence="Keep it up by itself when a source changes"
        told={form.follow ? "on" : ""}
        hasProblem={hasProblem("follow")}
      >
        {() => (
          <>
            <Checkbox isSwitch checked={form.follow} onChecked={(follow) => set({ follow })}>
              Refresh by itself
            </Checkbox>
            <p class="hint">
              Within a minute after a source has a new version, at most once a minute, with your
              right to read the sources. Each refresh is a version of its own.
            </p>
          </>
        )}
      </Folded>
    </div>
  );
}
