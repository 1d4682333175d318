import { useSignal } from "@preact/signals";
import { Field } from "../../ui/form/field.tsx";
import { Select } from "../../ui/form/select.tsx";

const NAMED = [
  { value: "", text: "none" },
  { value: "CC0-1.0", text: "CC0 1.0: no rights reserved" },
  { value: "CC-BY-4.0", text: "CC BY 4.0: whoever uses it names its creators" },
  { value: "CC-BY-SA-4.0", text: "CC BY-SA 4.0: and shares alike" },
  { value: "CC-BY-NC-4.0", text: "CC BY-NC 4.0: and earns nothing by it" },
  { value: "ODbL-1.0", text: "ODbL 1.0: Open Database Licence" },
] as const;

const OTHER = "other";

type LicenceFieldProps = {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly problem: string | undefined;
};

/** One of the licences that catalogues mostly have, or any other of the SPDX list by its id. */
export function LicenceField({ value, onValue, problem }: LicenceFieldProps) {
  const isNamed = NAMED.some((one) => one.value === value);
  const isOther = useSignal(!isNamed);
  return (
    <>
      <Select
        label="Licence"
        value={isOther.value ? OTHER : value}
        options={[...NAMED, { value: OTHER, text: "another, by its SPDX id" }]}
        onValue={(chosen) => {
          isOther.value = chosen === OTHER;
          if (chosen !== OTHER) onValue(chosen);
        }}
        problem={isOther.value ? undefined : problem}
      />
      {isOther.value && (
        <Field
          label="SPDX id of the licence"
          value={value}
          onValue={onValue}
          placeholder="CC-BY-3.0-AU"
          hint={
            <a href="https://spdx.org/licenses/" target="_blank" rel="noreferrer">
              The list of licences
            </a>
          }
          problem={problem}
        />
      )}
    </>
  );
}
