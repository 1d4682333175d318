import { meaningOf, type NameMeaning, normaliseName } from "./input-names.ts";

/** One of an event's magnitudes: the names of its type and of its value. */
export type MagnitudeNames = { readonly type: string; readonly magnitude: string };

/** The meanings of names that belong to one event or table. */
export type NamesInContext = {
  /** In the order of the names; null for a foreign name. */
  readonly meanings: readonly (NameMeaning | null)[];
  /** ISC's magnitudes, any number per event; their names are in `meanings` too. */
  readonly magnitudes: readonly MagnitudeNames[];
};

/** ISC repeats these columns per magnitude. */
const MAGNITUDE_GROUP = ["author", "type", "mag"];
/** This column identifies ISC's tables. */
const ISC_FLAG = "depfix";
/** This date column identifies SCEDC's tables, in which M after MAG is the magnitude's type. */
const SCEDC_DATE = "yyymmdd";

/** Ranks below every name with a meaning of its own. */
const BY_PLACE = 100;
/** Ranks above every name, the canonical one too. */
const WITH_TYPE = -2;

/**
 * The meanings of names, including names whose meaning depends on their place: ISC's groups of
 * author, type and magnitude, ISC-GEM's `unc` after the depth and after the magnitude, SCEDC's `M`.
 * Of several magnitudes the one beside the type is preferred, since the type is that one's.
 * Repeated names have a number appended: `unc.1` means `unc`.
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
  const magnitudes = magnitudeGroups(names, bare, meanings);
  if (magnitudes.length === 0) preferTyped(meanings);
  return { meanings, magnitudes };
}

function preferTyped(meanings: (NameMeaning | null)[]): void {
  const placesOf = (field: string) =>
    meanings.flatMap((meaning, i) => (meaning?.field === field ? [i] : []));
  const [type, ...otherTypes] = placesOf("magnitude_type");
  const magnitudes = placesOf("magnitude");
  if (type === undefined || otherTypes.length > 0 || magnitudes.length < 2) return;
  const beside = [type - 1, type + 1].find((place) => magnitudes.includes(place));
  const meaning = meanings[beside ?? -1] ?? null;
  if (beside !== undefined && meaning !== null) meanings[beside] = { ...meaning, rank: WITH_TYPE };
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
