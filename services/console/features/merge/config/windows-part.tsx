import { Checkbox } from "../../../ui/form/checkbox.tsx";
import { Field } from "../../../ui/form/field.tsx";
import { THRESHOLDS } from "../../../ui/form/thresholds.ts";
import { counted } from "../../../ui/text/format.ts";
import { type FurtherForm, NEW_WINDOW, type WindowEntry } from "./further-form.ts";
import type { PartProps } from "./part-props.ts";

type WindowFieldsProps = PartProps & {
  /** Of the sources. */
  readonly labels: readonly string[];
};

/** Thresholds that hold for some pairs in place of those above. */
export function WindowsFields({ form: { windows }, set, problemOf, labels }: WindowFieldsProps) {
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
            <button
              type="button"
              class="small"
              onClick={() => set({ windows: windows.filter((_, i) => i !== at) })}
            >
              Remove rule {at + 1}
            </button>
          </div>
        </fieldset>
      ))}
      <div class="row">
        <button
          type="button"
          class="small"
          onClick={() => set({ windows: [...windows, NEW_WINDOW] })}
        >
          Add a rule
        </button>
      </div>
    </>
  );
}

type FieldsProps = {
  readonly window: WindowEntry;
  readonly labels: readonly string[];
  readonly change: (changed: Partial<WindowEntry>) => void;
  readonly problemOf: PartProps["problemOf"];
};

const CONDITIONS = [
  { name: "from", label: "From", unit: "UTC", placeholder: "1900" },
  { name: "to", label: "Before", unit: "UTC", placeholder: "1964-01-01" },
  { name: "minMagnitude", label: "Magnitude from", placeholder: "any" },
] as const;

function WindowFields({ window, labels, change, problemOf }: FieldsProps) {
  return (
    <>
      {labels.length > 0 && (
        <Sources window={window} labels={labels} change={change} problem={problemOf("sources")} />
      )}
      <div class="field-grid">
        {CONDITIONS.map(({ name, ...field }) => (
          <Field
            key={name}
            {...field}
            value={window[name]}
            problem={problemOf(name)}
            onValue={(value) => change({ [name]: value })}
          />
        ))}
      </div>
      <Checkbox checked={window.isExempt} onChecked={(isExempt) => change({ isExempt })}>
        Such events never become one with others
      </Checkbox>
      {!window.isExempt && (
        <div class="field-grid">
          {THRESHOLDS.map(({ name, ...field }) => (
            <Field
              key={name}
              {...field}
              type="number"
              step="any"
              required
              value={window[name]}
              problem={problemOf(name)}
              onValue={(value) => change({ [name]: value })}
            />
          ))}
        </div>
      )}
    </>
  );
}

type SourcesProps = Pick<FieldsProps, "window" | "labels" | "change"> & {
  readonly problem: string | undefined;
};

/** Of which sources the events are; all where none is chosen. */
function Sources({ window, labels, change, problem }: SourcesProps) {
  const { sources } = window;
  const turn = (label: string, isOn: boolean) =>
    change({ sources: isOn ? [...sources, label] : sources.filter((one) => one !== label) });
  return (
    <fieldset class="stack">
      <legend>Both events are from one of these; from any, if none is ticked</legend>
      <div class="row">
        {labels.map((label) => (
          <Checkbox
            key={label}
            checked={sources.includes(label)}
            onChecked={(isOn) => turn(label, isOn)}
          >
            {label}
          </Checkbox>
        ))}
      </div>
      {problem !== undefined && <p class="problem">{problem}</p>}
    </fieldset>
  );
}

export function windowsTold({ windows }: FurtherForm): string {
  return windows.length === 0 ? "" : counted(windows.length, "rule");
}
