import type { MagnitudeConversion } from "#contracts/merges/config.ts";
import { MINUS } from "#contracts/plots/numbers.ts";
import { Answered, useAnswer } from "../../../ui/call.tsx";
import { Checkbox, NUMBER, TypedFields } from "../../../ui/form/fields.tsx";
import { Button } from "../../../ui/page.tsx";
import { count } from "../../../ui/text/format.ts";
import { type ConversionChoice, type ConversionEntry, NEW_CONVERSION } from "./config.ts";

type ConversionsFieldsProps = {
  readonly chosen: readonly ConversionChoice[];
  readonly onChosen: (chosen: readonly ConversionChoice[]) => void;
  /** @param field its path in a body, for example "conversions.0.slope" */
  readonly problemOf: (field: string) => string | undefined;
};

/** Relations between types of magnitudes: published ones by name, and one's own. */
export function ConversionsFields({ chosen, onChosen, problemOf }: ConversionsFieldsProps) {
  const known = useAnswer("GET /api/conversions", {});
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

const FIELDS = [
  { name: "name", label: "Name", placeholder: "ML of our network", required: true },
  { name: "from", label: "From type", placeholder: "ML", required: true },
  { name: "to", label: "To type", placeholder: "Mw", required: true },
  { name: "agency", label: "Of agency", placeholder: "any", required: false },
  { ...NUMBER, name: "slope", label: "Slope" },
  { ...NUMBER, name: "intercept", label: "Intercept" },
  { ...NUMBER, name: "sigma", label: "Standard deviation", min: 0 },
  { ...NUMBER, name: "least", label: "Holds from" },
  { ...NUMBER, name: "most", label: "Holds to" },
] as const;

const REFERENCE = [
  {
    name: "reference",
    label: "Where it comes from",
    placeholder: "a paper, or “fitted to 214 events of both catalogues”",
    required: true,
  },
] as const;

/** A relation of one's own: new = slope × old + intercept. */
function ConversionFields({ entry, change, problemOf }: ConversionFieldsProps) {
  const problemIn = (name: keyof ConversionEntry) =>
    problemOf(name) ??
    (name === "least" ? (problemOf("range") ?? problemOf("range.0")) : undefined) ??
    (name === "most" ? problemOf("range.1") : undefined);
  const typed = { values: entry, set: change, problemOf: problemIn };
  return (
    <>
      <p class="hint">new magnitude = slope × old magnitude + intercept</p>
      <div class="field-grid">
        <TypedFields fields={FIELDS} {...typed} />
      </div>
      <TypedFields fields={REFERENCE} {...typed} />
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
