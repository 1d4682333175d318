import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import {
  Checkbox,
  CheckList,
  Field,
  Select,
  THRESHOLDS,
  TypedFields,
} from "../../../ui/form/fields.tsx";
import { Button, Panel } from "../../../ui/page.tsx";
import { counted } from "../../../ui/text/format.ts";
import {
  type ConfigForm,
  type FurtherForm,
  LINKAGES,
  NEW_WINDOW,
  type PreferPart,
  STRATEGIES,
  type WindowEntry,
} from "./config.ts";
import { ConversionsFields } from "./conversions-part.tsx";

type ConfigPartProps = {
  readonly form: ConfigForm;
  readonly labels: readonly string[];
  readonly set: (change: Partial<ConfigForm>) => void;
  readonly problemOf: (field: string) => string | undefined;
  /** The fields that were refused, by their paths. */
  readonly refused: readonly string[];
};

const [TIME, DISTANCE] = THRESHOLDS;
const EXPLAINED = [
  { ...TIME, hint: "Between the origin times." },
  { ...DISTANCE, hint: "Between the epicentres." },
];

/** When two events are one earthquake, and whose solution of it is kept. */
export function ConfigPart({ form, labels, set, problemOf, refused }: ConfigPartProps) {
  const strategy = STRATEGIES.find(({ value }) => value === form.mergeStrategy);
  const linkage = LINKAGES.find(({ value }) => value === form.linkage);
  const given = [...new Set(labels.map((label) => label.trim()))].filter((label) => label !== "");
  return (
    <Panel title="Thresholds and strategy" aria-label="Thresholds and strategy">
      <p class="muted">
        Two events of different sources are taken for the same earthquake if they are no farther
        apart than this, in time and in place. Depths and magnitudes are not compared.
      </p>
      <div class="field-grid">
        <TypedFields
          fields={EXPLAINED}
          values={form}
          set={set}
          problemOf={(name) => problemOf(`config.${name}`)}
        />
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
    </Panel>
  );
}

/** What the parts of the further config have in common. */
type PartProps = {
  readonly form: FurtherForm;
  readonly set: (change: Partial<FurtherForm>) => void;
  readonly labels: readonly string[];
  /** @param field its path in a config, for example "windows.0.from" */
  readonly problemOf: (field: string) => string | undefined;
};

type FurtherPartProps = PartProps & {
  readonly hasProblem: (part: string) => boolean;
};

/** What only some merges need, each folded away under a sentence. */
function FurtherPart({ hasProblem, ...part }: FurtherPartProps) {
  const { form, set, problemOf } = part;
  const { prefer, windows, conversions, follow } = form;
  const stations = form.minMagnitudeStations.trim();
  const preferred = PARTS.filter((one) => prefer[one.part].by !== "");
  const parts: readonly (FoldedProps & { readonly field: keyof FurtherForm })[] = [
    {
      field: "prefer",
      sentence: "Take the magnitude or the mechanisms by another rule than the location",
      told: preferred.map(({ label }) => label.toLowerCase()).join("; "),
      content: () => <PreferFields {...part} />,
    },
    {
      field: "minMagnitudeStations",
      sentence: "Do not let a magnitude of few stations win",
      told: stations === "" ? "" : `${stations} at least`,
      content: () => (
        <Field
          label="Stations at least"
          type="number"
          min={1}
          hint="A magnitude of fewer stations, or of an unknown number, is taken only where there is no other."
          value={form.minMagnitudeStations}
          problem={problemOf("minMagnitudeStations")}
          onValue={(minMagnitudeStations) => set({ minMagnitudeStations })}
        />
      ),
    },
    {
      field: "windows",
      sentence: "Use other thresholds for some sources, years or magnitudes",
      told: windows.length === 0 ? "" : counted(windows.length, "rule"),
      content: () => <WindowsFields {...part} />,
    },
    {
      field: "conversions",
      sentence: "Convert magnitudes to one type",
      told: conversions.length === 0 ? "" : counted(conversions.length, "relation"),
      content: () => (
        <ConversionsFields
          chosen={conversions}
          onChosen={(chosen) => set({ conversions: chosen })}
          problemOf={problemOf}
        />
      ),
    },
    {
      field: "follow",
      sentence: "Keep it up by itself when a source changes",
      told: follow ? "on" : "",
      content: () => (
        <>
          <Checkbox isSwitch checked={follow} onChecked={(isOn) => set({ follow: isOn })}>
            Refresh by itself
          </Checkbox>
          <p class="hint">
            Within a minute after a source has a new version, at most once a minute, with your right
            to read the sources. Each refresh is a version of its own.
          </p>
        </>
      ),
    },
  ];
  return (
    <div class="foldeds">
      {parts.map(({ field, ...folded }) => (
        <Folded key={field} {...folded} hasProblem={hasProblem(field)} />
      ))}
    </div>
  );
}

type FoldedProps = {
  /** What it is for, in one plain sentence. */
  readonly sentence: string;
  /** What is set there, in a few words; empty for nothing. */
  readonly told: string;
  readonly hasProblem?: boolean;
  readonly content: () => ComponentChildren;
};

/** What only some merges need: one sentence until it is opened. */
function Folded({ sentence, told, hasProblem = false, content }: FoldedProps) {
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
      {isShown && <div class="stack">{content()}</div>}
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

/** Thresholds that hold for some pairs in place of those above. */
function WindowsFields({ form: { windows }, set, problemOf, labels }: PartProps) {
  const change = (at: number, changed: Partial<WindowEntry>) =>
    set({ windows: windows.map((one, i) => (i === at ? { ...one, ...changed } : one)) });
  return (
    <>
      <p class="muted">
        A pair has the thresholds of the first rule that both its events meet, else those above.
      </p>
      {windows.map((window, at) => (
        <fieldset class="rule stack" key={at}>
          <legend>Rule {at + 1}</legend>
          <WindowFields
            window={window}
            labels={labels}
            change={(changed) => change(at, changed)}
            problemOf={(field) => problemOf(`windows.${at}${field && `.${field}`}`)}
          />
          <div class="row">
            <Button
              class="small"
              onClick={() => set({ windows: windows.filter((_, i) => i !== at) })}
              text={`Remove rule ${at + 1}`}
            />
          </div>
        </fieldset>
      ))}
      <div class="row">
        <Button
          class="small"
          onClick={() => set({ windows: [...windows, NEW_WINDOW] })}
          text="Add a rule"
        />
      </div>
    </>
  );
}

type WindowFieldsProps = Pick<PartProps, "labels" | "problemOf"> & {
  readonly window: WindowEntry;
  readonly change: (changed: Partial<WindowEntry>) => void;
};

const CONDITIONS = [
  { name: "from", label: "From", unit: "UTC", placeholder: "1900" },
  { name: "to", label: "Before", unit: "UTC", placeholder: "1964-01-01" },
  { name: "minMagnitude", label: "Magnitude from", placeholder: "any" },
] as const;

function WindowFields({ window, labels, change, problemOf }: WindowFieldsProps) {
  const problem = problemOf("sources");
  return (
    <>
      {labels.length > 0 && (
        <fieldset class="stack">
          <legend>Both events are from one of these; from any, if none is ticked</legend>
          <div class="row">
            <CheckList
              options={labels.map((label) => ({ id: label, text: label }))}
              chosen={window.sources}
              onChosen={(sources) => change({ sources })}
            />
          </div>
          {problem !== undefined && <p class="problem">{problem}</p>}
        </fieldset>
      )}
      <div class="field-grid">
        <TypedFields fields={CONDITIONS} values={window} set={change} problemOf={problemOf} />
      </div>
      <Checkbox checked={window.isExempt} onChecked={(isExempt) => change({ isExempt })}>
        Such events never become one with others
      </Checkbox>
      {!window.isExempt && (
        <div class="field-grid">
          <TypedFields fields={THRESHOLDS} values={window} set={change} problemOf={problemOf} />
        </div>
      )}
    </>
  );
}
