import type { MagnitudeConversion } from "#contracts/merges/config.ts";
import { MINUS } from "#contracts/plots/numbers.ts";
import { call } from "../../../api/call.ts";
import { Answered, useCall } from "../../../ui/call.tsx";
import { Checkbox, Field } from "../../../ui/form/fields.tsx";
import { Button } from "../../../ui/page.tsx";
import { count } from "../../../ui/text/format.ts";
import { type ConversionChoice, type ConversionEntry, NEW_CONVERSION } from "./further-config.ts";

type ConversionsFieldsProps = {
  readonly chosen: readonly ConversionChoice[];
  readonly onChosen: (chosen: readonly ConversionChoice[]) => void;
  /** @param field its path in a body, for example "conversions.0.slope" */
  readonly problemOf: (field: string) => string | undefined;
};

/** Relations between types of magnitudes: published ones by name, and one's own. */
export function ConversionsFields({ chosen, onChosen, problemOf }: ConversionsFieldsProps) {
  const known = useCall("conversions", (signal) => call("GET /api/conversions", {}, { signal }));
  const own = chosen.flatMap((one, at) => (typeof one === "string" ? [] : [{ one, at }]));
  const change = (at: number, changed: Partial<ConversionEntry>) =>
    onChosen(
      chosen.map((one, i) => (i === at && typeof one !== "string" ? { ...one, ...changed } : one)),
    );
  const turn = (name: string, isOn: boolean) =>
    onChosen(isOn ? [...chosen, name] : chosen.filter((one) => one !== name));
  return (
    <>
      <p class="muted">
        The first relation that fits an event’s type of magnitude, its agency and its range gives it
        the new magnitude. The one before is kept beside it, and what lies outside of the range
        stays as it is.
      </p>
      <Answered call={known}>
        {({ conversions }) => (
          <ul class="relations">
            {conversions.map((one) => (
              <li key={one.name}>
                <Checkbox
                  checked={chosen.includes(one.name)}
                  onChecked={(isOn) => turn(one.name, isOn)}
                >
                  <span>
                    <strong>{one.name}</strong> {formulaOf(one)}
                    <span class="muted small">{one.reference}</span>
                  </span>
                </Checkbox>
              </li>
            ))}
          </ul>
        )}
      </Answered>
      {own.map(({ one, at }, n) => (
        <fieldset class="rule stack" key={at}>
          <legend>Own relation {own.length > 1 && count(n + 1)}</legend>
          <ConversionFields
            entry={one}
            change={(changed) => change(at, changed)}
            problemOf={(field) => problemOf(`conversions.${at}${field && `.${field}`}`)}
          />
          <div class="row">
            <Button
              class="small"
              onClick={() => onChosen(chosen.filter((_, i) => i !== at))}
              text="Remove it"
            />
          </div>
        </fieldset>
      ))}
      <div class="row">
        <Button
          class="small"
          onClick={() => onChosen([...chosen, NEW_CONVERSION])}
          text="Add a relation of your own"
        />
      </div>
    </>
  );
}

type ConversionFieldsProps = {
  readonly entry: ConversionEntry;
  readonly change: (changed: Partial<ConversionEntry>) => void;
  readonly problemOf: (field: string) => string | undefined;
};

const TEXTS = [
  { name: "name", label: "Name", placeholder: "ML of our network", required: true },
  { name: "from", label: "From type", placeholder: "ML", required: true },
  { name: "to", label: "To type", placeholder: "Mw", required: true },
  { name: "agency", label: "Of agency", placeholder: "any", required: false },
] as const;

const NUMBERS = [
  { name: "slope", label: "Slope" },
  { name: "intercept", label: "Intercept" },
  { name: "sigma", label: "Standard deviation", min: 0 },
  { name: "least", label: "Holds from" },
  { name: "most", label: "Holds to" },
] as const;

/** A relation of one's own: new = slope × old + intercept. */
function ConversionFields({ entry, change, problemOf }: ConversionFieldsProps) {
  const problemIn = (name: keyof ConversionEntry) =>
    problemOf(name) ??
    (name === "least" ? (problemOf("range") ?? problemOf("range.0")) : undefined) ??
    (name === "most" ? problemOf("range.1") : undefined);
  return (
    <>
      <p class="hint">new magnitude = slope × old magnitude + intercept</p>
      <div class="field-grid">
        {TEXTS.map(({ name, ...field }) => (
          <Field
            key={name}
            {...field}
            value={entry[name] ?? ""}
            problem={problemIn(name)}
            onValue={(value) => change({ [name]: value })}
          />
        ))}
        {NUMBERS.map(({ name, ...field }) => (
          <Field
            key={name}
            {...field}
            type="number"
            step="any"
            required
            value={entry[name] ?? ""}
            problem={problemIn(name)}
            onValue={(value) => change({ [name]: value })}
          />
        ))}
      </div>
      <Field
        label="Where it comes from"
        placeholder="a paper, or “fitted to 214 events of both catalogues”"
        required
        value={entry.reference ?? ""}
        problem={problemIn("reference")}
        onValue={(reference) => change({ reference })}
      />
    </>
  );
}

/** "Mw = 0.67 mb + 2.07 ± 0.32, of mb 3.5 to 6.2". */
export function formulaOf(relation: MagnitudeConversion): string {
  const { from, agency, to, slope, intercept, sigma, range } = relation;
  const sign = intercept < 0 ? MINUS : "+";
  const [least = 0, most = 0] = range.map((value) => String(value).replace("-", MINUS));
  const of = agency ? `${agency}’s ${from}` : from;
  return `${to} = ${slope} ${from} ${sign} ${Math.abs(intercept)} ± ${sigma}, of ${of} ${least} to ${most}`;
}
