import { meaningOf, type NameMeaning, normaliseName } from "./input-names.ts";

/** One of several magnitudes of an event: the names of its type and of its value. */
export type MagnitudeNames = { readonly type: string; readonly magnitude: string };

/** What the names of one event, or of a table's columns, stand for together. */
export type NamesInContext = {
  /** For each name in its order; null for a name that is none of ours. */
  readonly meanings: readonly (NameMeaning | null)[];
  /** ISC's magnitudes, of which an event gives as many as there are; their names are in `meanings` too. */
  readonly magnitudes: readonly MagnitudeNames[];
};

/** ISC repeats these for each magnitude. */
const MAGNITUDE_GROUP = ["author", "type", "mag"];
/** The flag that tells ISC's tables. */
const ISC_FLAG = "depfix";
/** SCEDC's date tells its tables, in which M after MAG is the magnitude's type. */
const SCEDC_DATE = "yyymmdd";

/** Worse than every name that says by itself what it is. */
const BY_PLACE = 100;

/**
 * What names stand for where some only say it by their place: ISC's groups of author, type and
 * magnitude, ISC-GEM's `unc` after the depth and after the magnitude, SCEDC's `M`. Names that a table
 * repeats are told apart by a number: `unc.1` is `unc`.
 */
export function namesInContext(names: readonly string[]): NamesInContext {
  const meanings = names.map(meaningOf);
  const bare = names.map((name) => normaliseName(name.replace(/\.\d+$/, "")));
  const isScedc = bare.includes(SCEDC_DATE);
  for (const [i, name] of bare.entries()) {
    const before = meanings[i - 1]?.field;
    if (name === "unc" && (before === "depth" || before === "magnitude")) {
      meanings[i] = { field: `${before}_uncertainty`, rank: BY_PLACE };
    } else if (isScedc && name === "m" && before === "magnitude") {
      meanings[i] = { field: "magnitude_type", rank: BY_PLACE };
    }
  }
  return { meanings, magnitudes: magnitudeGroups(names, bare, meanings) };
}

function magnitudeGroups(
  names: readonly string[],
  bare: readonly string[],
  meanings: (NameMeaning | null)[],
): MagnitudeNames[] {
  const groups: MagnitudeNames[] = [];
  if (!bare.includes(ISC_FLAG)) return groups;
  for (let i = 0; i + MAGNITUDE_GROUP.length <= bare.length; i++) {
    if (!MAGNITUDE_GROUP.every((name, k) => bare[i + k] === name)) continue;
    const [type, magnitude] = [names[i + 1], names[i + 2]];
    if (type === undefined || magnitude === undefined) break;
    meanings[i] = null;
    meanings[i + 1] = { field: "magnitude_type", rank: BY_PLACE };
    meanings[i + 2] = { field: "magnitude", rank: BY_PLACE };
    groups.push({ type, magnitude });
  }
  return groups;
}
