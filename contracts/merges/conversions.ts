import { z } from "zod";
import { ATTRIBUTES } from "../seismic-event/attributes.ts";
import { ConversionName, MagnitudeConversion, MERGE_LIMITS } from "./config.ts";

const DI_GIACOMO_2015 =
  "Di Giacomo, D., I. Bondár, D. A. Storchak, E. R. Engdahl, P. Bormann and J. Harris (2015), ISC-GEM: Global Instrumental Earthquake Catalogue (1900–2009), III. Re-computed MS and mb, proxy MW, final magnitude composition and completeness assessment, Phys. Earth Planet. Inter. 239, 33–47, doi:10.1016/j.pepi.2014.06.005";

/** Where the two lines for Ms meet. */
const MS_BEND = 6.47;

/**
 * Conversions that are known by name: the generalised orthogonal regressions of ISC-GEM. The ends of their ranges are
 * those of the data in the paper's figures, as GEM's catalogue tools take them too.
 */
export const KNOWN_CONVERSIONS: readonly MagnitudeConversion[] = [
  {
    name: "isc-gem-ms-small",
    from: "Ms",
    to: "Mw",
    slope: 0.67,
    intercept: 2.13,
    sigma: 0.2,
    range: [3.5, MS_BEND],
    reference: DI_GIACOMO_2015,
  },
  {
    name: "isc-gem-ms-large",
    from: "Ms",
    to: "Mw",
    slope: 1.1,
    intercept: -0.67,
    sigma: 0.2,
    range: [MS_BEND, 8],
    reference: DI_GIACOMO_2015,
  },
  {
    name: "isc-gem-mb",
    from: "mb",
    to: "Mw",
    slope: 1.38,
    intercept: -1.79,
    sigma: 0.3,
    range: [4, 6.5],
    reference: DI_GIACOMO_2015,
  },
];

/** Undefined for a name that no known conversion has. */
export function knownConversion(name: string): MagnitudeConversion | undefined {
  return KNOWN_CONVERSIONS.find((one) => one.name === name);
}

/** New conversions: those of the log are read by `MagnitudeConversion` alone. */
const NewConversion = MagnitudeConversion.superRefine((one, { addIssue }) => {
  const fault = (path: string, message: string) =>
    addIssue({ code: "custom", path: [path], message });
  const { min, max } = ATTRIBUTES.magnitude;
  const ends = one.range.map((magnitude) => one.slope * magnitude + one.intercept);
  if (ends.some((magnitude) => magnitude < min || magnitude > max)) {
    fault("range", `gives magnitudes below ${min} or above ${max}`);
  }
  const known = knownConversion(one.name);
  if (known !== undefined && !isSame(one, known)) {
    fault("name", "is that of a known conversion, which is another");
  }
});

function isSame(a: MagnitudeConversion, b: MagnitudeConversion): boolean {
  const names = Object.keys(MagnitudeConversion.shape) as (keyof MagnitudeConversion)[];
  return names.every((name) => String(a[name]) === String(b[name]));
}

/** Conversions as a request gives them. */
export const GivenConversions = z
  .array(
    z.union([
      ConversionName.refine((name) => knownConversion(name) !== undefined, {
        message: "is the name of no known conversion",
      }),
      NewConversion,
    ]),
  )
  .max(MERGE_LIMITS.conversions)
  .describe("known ones by name, or whole; the first that fits a magnitude converts it");
