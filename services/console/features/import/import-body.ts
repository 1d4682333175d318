import type { CatalogueAccess } from "#contracts/rights.ts";
import type { InputOf } from "../../api/call.ts";
import {
  type CarriedSettings,
  LONGEST_HOURS,
  numbersOf,
  type TypedBounds,
} from "../../model/typed-bounds.ts";
import { time } from "../../ui/form/codecs.ts";
import type { Target } from "../../ui/form/target-fields.tsx";

export type ImportBody = InputOf<"POST /api/import/agency">["body"];

export const NEW_FORM = {
  /** Its id; empty for the first one. */
  agency: "",
  window: "hours" as "hours" | "dates",
  hours: "24",
  startDate: "",
  endDate: "",
  bounds: {} as TypedBounds,
  /** A saved region's id; empty for none. */
  region: "",
  into: "new" as Target["into"],
  catalogueName: "",
  access: "internal" as CatalogueAccess,
  catalogueId: "",
  updateExisting: true,
  detail: "full" as "full" | "summary",
};

/** What the form holds, as it was typed. */
export type ImportForm = Readonly<typeof NEW_FORM>;

/** What a schedule can go on with; between two times it is asked for the last day. */
export function carriedOf(form: ImportForm): CarriedSettings {
  const { agency, window, hours, bounds, region, detail, updateExisting } = form;
  const whole = Math.min(LONGEST_HOURS, Math.max(1, Math.ceil(Number(hours) || 1)));
  const lookbackHours = window === "hours" ? String(whole) : NEW_FORM.hours;
  return { agency, lookbackHours, bounds, region, detail, updateExisting };
}

/** The request of a form: what is left empty is left to the service. */
export function importBodyOf(form: ImportForm): ImportBody {
  return {
    ...(form.agency !== "" && { agency: form.agency }),
    ...windowOf(form),
    ...numbersOf(form.bounds),
    ...(form.region !== "" && { region: form.region }),
    ...targetOf(form),
    updateExisting: form.updateExisting,
    detail: form.detail,
  };
}

function windowOf({ window, hours, startDate, endDate }: ImportForm): Partial<ImportBody> {
  if (window === "hours") return { hours: Number(hours) };
  return {
    startDate: time(startDate),
    ...(endDate.trim() !== "" && { endDate: time(endDate) }),
  };
}

function targetOf({ into, catalogueId, ...made }: ImportForm): Partial<ImportBody> {
  if (into === "existing") return { catalogueId };
  const { access } = made;
  const catalogueName = made.catalogueName.trim();
  return { access, ...(catalogueName !== "" && { catalogueName }) };
}
