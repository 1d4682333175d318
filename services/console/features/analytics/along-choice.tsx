import type { Along } from "../../plots/depth-section.ts";
import { Choices } from "../../ui/form/choices.tsx";
import { ParameterInput } from "./parameter-input.tsx";
import { PROFILE_FIELDS, profileValue } from "./section-along.ts";
import type { SetParameters } from "./use-parameters.ts";

type AlongChoiceProps = { readonly along: Along; readonly set: SetParameters };

/** Chooses along what depths are drawn, and where a profile lies. */
export function AlongChoice({ along, set }: AlongChoiceProps) {
  const kind = typeof along === "object" ? "profile" : along;
  return (
    <>
      <Choices
        legend="Along"
        value={kind}
        options={[
          { value: "longitude", text: "longitude" },
          { value: "latitude", text: "latitude" },
          { value: "profile", text: "a profile" },
        ]}
        onValue={(value) => set({ along: value === "longitude" ? "" : value }, "push")}
      />
      {kind === "profile" && (
        <div class="parameters">
          {PROFILE_FIELDS.map(({ name, label, unit }) => (
            <ParameterInput
              key={name}
              parameter={{ name, label, unit }}
              value={profileValue(along, name)}
              onValue={(value, how) => set({ [name]: value }, how)}
            />
          ))}
        </div>
      )}
    </>
  );
}
