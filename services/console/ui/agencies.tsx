import { type AnswerOf, call } from "../api/call.ts";
import { type Loaded, useCall } from "./call.tsx";
import { Select } from "./form/fields.tsx";

type AgencyChoiceProps = {
  /** Null before they are known. */
  readonly agencies: readonly Agency[] | null;
  /** An id; empty for the first. */
  readonly value: string;
  /** Which of them may be chosen. */
  readonly among: (agency: Agency) => boolean;
  readonly problem?: string | undefined;
  readonly onValue: (id: string) => void;
};

/** One of the agencies that may be asked. */
export function AgencyChoice({ agencies, value, among, problem, onValue }: AgencyChoiceProps) {
  const asked = agencies?.filter(among) ?? [];
  const isListed = value === "" || asked.some(({ id }) => id === value);
  const given = agencies?.find(({ id }) => id === value);
  return (
    <Select
      label="Agency"
      value={value === "" ? (asked[0]?.id ?? "") : value}
      options={[
        ...asked.map(({ id, name }) => ({ value: id, text: name })),
        ...(isListed ? [] : [{ value, text: given ? `${given.name} (not enabled)` : value }]),
      ]}
      problem={problem}
      onValue={onValue}
    />
  );
}

export type Agency = AnswerOf<"GET /api/agencies">["agencies"][number];

/** The agencies of this installation: that of the configuration, then the others by name. */
export function useAgencies(): Loaded<readonly Agency[]> {
  return useCall(
    "agencies",
    async (signal) => (await call("GET /api/agencies", {}, { signal })).agencies,
  );
}

/** Whether events can be imported from it. */
export function isAsked({ enabled, dialect }: Agency): boolean {
  return enabled && dialect !== "table";
}

/** An agency's name; the id of one that is not there, or not known yet. */
export function agencyName(agencies: readonly Agency[] | null, id: string): string {
  return agencies?.find((agency) => agency.id === id)?.name ?? id;
}
