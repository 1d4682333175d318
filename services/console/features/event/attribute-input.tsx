import { Field } from "../../ui/form/field.tsx";
import { Select } from "../../ui/form/select.tsx";
import { attributeOf, type FieldName, labelOf, unitOf } from "../../ui/text/attribute-names.ts";

type AttributeInputProps = {
  readonly name: FieldName;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly problem: string | undefined;
};

/** An attribute of an event, to be changed. */
export function AttributeInput({ name, value, onValue, problem }: AttributeInputProps) {
  const { kind, values } =
    name === "time" ? { kind: "text", values: undefined } : attributeOf(name);
  if (values) {
    const options = ["", ...values].map((one) => ({ value: one, text: one || "unknown" }));
    return <Select label={labelOf(name)} value={value} options={options} onValue={onValue} />;
  }
  return (
    <Field
      label={labelOf(name)}
      unit={unitOf(name)}
      value={value}
      onValue={onValue}
      problem={problem}
      {...((kind === "number" || kind === "integer") && { inputMode: "decimal" as const })}
    />
  );
}
