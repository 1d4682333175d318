import type { InputOf } from "../../model/operation-types.ts";

export type ComparisonBody = InputOf<"POST /api/compare">["body"];

const NAMES = ["a", "b", "asOfA", "asOfB", "timeThreshold", "distanceThreshold", "eta"] as const;

/** What is compared, as it was typed, by the API's names. */
export type ComparisonForm = Readonly<Record<(typeof NAMES)[number], string>>;

/** As merges have it to begin with; magnitudes of both are as good as each other's. */
const USUAL = { timeThreshold: "10", distanceThreshold: "50", eta: "1" } as const;

export function formIn(query: URLSearchParams): ComparisonForm {
  const form: Record<string, string> = { ...USUAL };
  for (const name of NAMES) form[name] = query.get(name) || form[name] || "";
  return form as ComparisonForm;
}

/** The address of a comparison, which whoever may read both catalogues can repeat. */
export function addressOf(form: ComparisonForm): string {
  const query = new URLSearchParams();
  for (const name of NAMES) if (form[name] !== "") query.set(name, form[name]);
  return `/compare?${query}`;
}

/** What is asked; null while a catalogue is missing. */
export function bodyOf({ a, b, asOfA, asOfB, ...numbers }: ComparisonForm): ComparisonBody | null {
  if (a === "" || b === "") return null;
  return {
    a,
    b,
    ...(asOfA && { asOfA }),
    ...(asOfB && { asOfB }),
    timeThreshold: Number(numbers.timeThreshold),
    distanceThreshold: Number(numbers.distanceThreshold),
    eta: Number(numbers.eta),
  };
}
