import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Checkbox } from "../../../ui/form/checkbox.tsx";
import { Field } from "../../../ui/form/field.tsx";
import { Select } from "../../../ui/form/select.tsx";
import { ConversionsFields, conversionsTold } from "./conversions-part.tsx";
import type { FurtherForm, PreferPart } from "./further-form.ts";
import type { PartProps } from "./part-props.ts";
import { STRATEGIES } from "./strategies.ts";
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

type FoldedProps = {
  /** What it is for, in one plain sentence. */
  readonly sentence: string;
  /** What is set there, in a few words; empty for nothing. */
  readonly told: string;
  /** Something in it was refused. */
  readonly hasProblem?: boolean;
  readonly children: () => ComponentChildren;
};

/** What only some merges need: one sentence until it is opened. */
function Folded({ sentence, told, hasProblem = false, children }: FoldedProps) {
  const isOpen = useSignal(told !== "");
  const isShown = isOpen.value || hasProblem;
  return (
    <details
      class="folded"
      open={isShown}
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>
        <span>{sentence}</span>
        {told !== "" && <span class="badge good">{told}</span>}
      </summary>
      {isShown && <div class="stack">{children()}</div>}
    </details>
  );
}

const PARTS: readonly { readonly part: PreferPart; readonly label: string }[] = [
  { part: "location", label: "Time, place and depth" },
  { part: "magnitude", label: "Magnitude" },
  { part: "mechanism", label: "Focal mechanisms" },
];

type By = FurtherForm["prefer"][PreferPart]["by"];

const OPTIONS: readonly { readonly value: By; readonly text: string }[] = [
  { value: "", text: "of the solution that is kept" },
  { value: "agencies", text: "of the first of these agencies…" },
  ...STRATEGIES.map(({ value, text }) => ({ value, text: `by ${text}` })),
];

/** Whose location, magnitude and mechanisms are taken. */
function PreferFields({ form: { prefer }, set, problemOf }: PartProps) {
  return (
    <>
      <p class="muted">
        Each of these three comes whole from one solution: a time never without its place, a
        magnitude never without its type.
      </p>
      {PARTS.map(({ part, label }) => {
        const entry = prefer[part];
        const change = (changed: Partial<typeof entry>) =>
          set({ prefer: { ...prefer, [part]: { ...entry, ...changed } } });
        return (
          <div class="field-grid wide" key={part}>
            <Select
              label={label}
              value={entry.by}
              options={OPTIONS}
              problem={entry.by === "agencies" ? undefined : problemOf(`prefer.${part}`)}
              onValue={(by) => change({ by })}
            />
            {entry.by === "agencies" && (
              <Field
                label={`Agencies for ${label.toLowerCase()}`}
                placeholder="ISC, NEIC, GCMT"
                hint="The best first, with commas between. Where none of them has one, that of the solution that is kept."
                required
                value={entry.agencies}
                problem={problemOf(`prefer.${part}`)}
                onValue={(agencies) => change({ agencies })}
              />
            )}
          </div>
        );
      })}
    </>
  );
}

/** How many of the three are taken otherwise. */
function preferTold({ prefer }: FurtherForm): string {
  return PARTS.filter(({ part }) => prefer[part].by !== "")
    .map(({ label }) => label.toLowerCase())
    .join("; ");
}
