import { Field, Select } from "../../ui/form/fields.tsx";
import {
  attributeOf,
  type EventValues,
  FIELD_NAMES,
  type FieldName,
  labelOf,
  ROWS,
  unitOf,
} from "../../ui/text/attribute-names.ts";

type EventFieldsProps = {
  readonly texts: EventTexts;
  readonly onText: (name: FieldName, text: string) => void;
  /** What the service said of an attribute. */
  readonly problemOf: (name: FieldName) => string | undefined;
};

/** The attributes of an event in groups, each with its uncertainty beside it. */
export function EventFields({ texts, onText, problemOf }: EventFieldsProps) {
  const input = (name: FieldName, label: string, spoken?: string) => {
    const shared = {
      label,
      value: texts[name] ?? "",
      onValue: (text: string) => onText(name, text),
      problem: problemOf(name),
    };
    const values = name === "time" ? undefined : attributeOf(name).values;
    if (values) {
      const options = ["", ...values].map((one) => ({ value: one, text: one || "unknown" }));
      return <Select {...shared} options={options} />;
    }
    return (
      <Field
        {...shared}
        unit={unitOf(name)}
        {...(spoken !== undefined && { spoken })}
        {...(isNumber(name) && { inputMode: "decimal" })}
        {...(name === "time" && { placeholder: "2016-11-13T11:02:56.346Z" })}
      />
    );
  };
  return (
    <div class="grid">
      {ROWS.map(({ title, rows }) => (
        <fieldset key={title} class="edit-group">
          <legend>{title}</legend>
          {rows.map(({ name, sigma }) => (
            <div key={name} class="edit-row">
              {input(name, labelOf(name))}
              {sigma && input(sigma, "±", labelOf(sigma))}
            </div>
          ))}
        </fieldset>
      ))}
    </div>
  );
}

/** An event's attributes as they stand in fields; what is not known is empty. */
export type EventTexts = Readonly<Partial<Record<FieldName, string>>>;

export function textsOf(event: EventValues): EventTexts {
  return Object.fromEntries(FIELD_NAMES.map((name) => [name, String(event[name] ?? "")]));
}

/** What was typed that differs from the event: numbers as numbers, emptied fields as null. */
export function changesOf(
  event: EventValues,
  typed: EventTexts,
): Record<string, string | number | null> {
  const changes: Record<string, string | number | null> = {};
  const before = textsOf(event);
  for (const name of FIELD_NAMES) {
    const text = (typed[name] ?? "").trim();
    if (text === before[name]) continue;
    changes[name] = text === "" ? null : readValue(name, text);
  }
  return changes;
}

/** What cannot be read as a number is sent as it is: the service says what is wrong with it. */
function readValue(name: FieldName, text: string): string | number {
  return isNumber(name) && !Number.isNaN(Number(text)) ? Number(text) : text;
}

function isNumber(name: FieldName): boolean {
  return name !== "time" && ["number", "integer"].includes(attributeOf(name).kind);
}
