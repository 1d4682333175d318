import { useSignal } from "@preact/signals";
import { FileDrop } from "../../ui/file-drop.tsx";
import { bound } from "../../ui/form/bound.ts";
import { Checkbox } from "../../ui/form/checkbox.tsx";
import { Choices } from "../../ui/form/choices.tsx";
import { CopyField } from "../../ui/form/copy-field.tsx";
import { Field } from "../../ui/form/field.tsx";
import { Segmented } from "../../ui/form/segmented.tsx";
import { Select } from "../../ui/form/select.tsx";
import { TextArea } from "../../ui/form/text-area.tsx";
import { count } from "../../ui/text/format.ts";
import { Part } from "./part.tsx";

const DEPTHS = [
  { value: "free", text: "from location" },
  { value: "fixed", text: "fixed by the operator" },
] as const;

const nothing = () => undefined;

/** Fields with values, hints, problems, and out of use. */
export function Fields() {
  const text = useSignal("2016-11-13");
  const depth = useSignal<(typeof DEPTHS)[number]["value"]>("free");
  const isOn = useSignal(true);
  const note = useSignal("");
  const file = useSignal<{ readonly name: string; readonly size: string } | null>(null);
  return (
    <Part title="Fields">
      <div class="field-grid wide">
        <Field
          label="Depth"
          unit="km"
          inputMode="decimal"
          hint="Below sea level"
          {...bound(text)}
        />
        <Field label="Latitude" unit="°" value="91" onValue={nothing} problem="From −90 to 90" />
        <Field
          label="Part of the name"
          type="search"
          placeholder="Taupō"
          value=""
          onValue={nothing}
        />
        <Field label="Out of use" value="1.2" onValue={nothing} disabled />
        <Select label="Depth type" options={DEPTHS} {...bound(depth)} />
        <Select
          label="Out of use, a list"
          options={DEPTHS}
          value="fixed"
          onValue={nothing}
          disabled
        />
      </div>
      <div class="row">
        <Checkbox checked={isOn.value} onChecked={(isChecked) => (isOn.value = isChecked)}>
          Only what the map shows
        </Checkbox>
        <Checkbox checked={false} onChecked={nothing} disabled>
          Out of use
        </Checkbox>
        <Checkbox checked={isOn.value} onChecked={(isChecked) => (isOn.value = isChecked)} isSwitch>
          May sign in
        </Checkbox>
      </div>
      <Choices legend="Depth is" options={DEPTHS} {...bound(depth)} />
      <Segmented legend="Depth was" options={DEPTHS} {...bound(depth)} />
      <div class="columns">
        <TextArea label="Reason" min={10} max={1_000} {...bound(note)} />
        <FileDrop
          chosen={file.value}
          hint="CSV, QuakeML, ISF and others, up to 100 MB"
          onFile={({ name, size }) => (file.value = { name, size: `${count(size)} bytes` })}
        />
      </div>
      <CopyField label="Address of this page" value="https://example.org/catalogues" />
    </Part>
  );
}
