import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { call } from "../../../api/call.ts";
import type { Catalogue } from "../../../model/catalogue.ts";
import type { AnswerOf } from "../../../model/operation-types.ts";
import { ErrorNotice } from "../../../ui/call/error-notice.tsx";
import { Field } from "../../../ui/form/field.tsx";
import { SubmitRow } from "../../../ui/form/submit-row.tsx";
import { THRESHOLDS } from "../../../ui/form/thresholds.ts";
import { useSubmit } from "../../../ui/form/use-submit.ts";
import { FoundPart } from "./found-part.tsx";

type Found = AnswerOf<"POST /api/catalogues/:id/duplicates">;

type DuplicatesPartProps = {
  readonly catalogue: Catalogue;
  readonly mayChange: boolean;
};

const MAGNITUDES = {
  name: "magnitudeDifference",
  label: "Magnitudes differ by at most",
  unit: "",
  hint: "Left empty, magnitudes are not compared.",
  min: 0,
  max: 10,
} as const;

/** Finds events of one catalogue that may be the same earthquake, and removes those that a person chooses. */
export function DuplicatesPart({ catalogue, mayChange }: DuplicatesPartProps) {
  const form = useSignal({ timeThreshold: "2", distanceThreshold: "10", magnitudeDifference: "" });
  const found = useSignal<Found | null>(null);
  const searches = useRef(0);
  const { submit, error, isBusy, problemOf } = useSubmit(async () => {
    const { timeThreshold, distanceThreshold, magnitudeDifference: most } = form.value;
    const body = {
      timeThreshold: Number(timeThreshold),
      distanceThreshold: Number(distanceThreshold),
      ...(most.trim() !== "" && { magnitudeDifference: Number(most) }),
    };
    const params = { id: catalogue.id };
    found.value = await call("POST /api/catalogues/:id/duplicates", { params, body });
    searches.current++;
  });
  const set = (name: keyof typeof form.value, value: string) => {
    form.value = { ...form.value, [name]: value };
    found.value = null;
  };
  return (
    <>
      <form class="panel" onSubmit={submit}>
        <p class="muted text">
          Two events of this catalogue are suspected to be one earthquake if they are no farther
          apart than this. Nothing is removed before you have chosen it.
        </p>
        <div class="field-grid wide">
          {[...THRESHOLDS, MAGNITUDES].map(({ name, ...field }) => (
            <Field
              key={name}
              {...field}
              type="number"
              step="any"
              required={name !== "magnitudeDifference"}
              value={form.value[name]}
              problem={problemOf(name)}
              onValue={(value) => set(name, value)}
            />
          ))}
        </div>
        <ErrorNotice error={error.value} />
        <SubmitRow
          text={isBusy.value ? "Looking…" : "Look for duplicates"}
          isDisabled={isBusy.value}
        />
      </form>
      {found.value !== null && (
        <FoundPart
          key={searches.current}
          catalogue={catalogue}
          found={found.value}
          mayChange={mayChange}
          onRemoved={submit}
        />
      )}
    </>
  );
}
