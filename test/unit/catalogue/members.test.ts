import { describe, test } from "vitest";
import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import { removeMember, setMember } from "#services/domain/catalogue/members.ts";
import { given } from "./scenario.ts";

const catalogueId = "10000000-0000-4000-8000-000000000000";
const created: CatalogueEvent = {
  type: "CatalogueCreated",
  data: { catalogueId, name: "Chile", isPublic: false, createdBy: "maker" },
};
const owner = (memberId: string): CatalogueEvent => ({
  type: "MemberSet",
  data: { catalogueId, memberId, kind: "user", right: "own" },
});
const removed: CatalogueEvent = {
  type: "MemberRemoved",
  data: { catalogueId, memberId: "maker" },
};
const all = () => true;
const onlyMaker = (id: string) => id === "maker";

describe("the last owner of a catalogue", () => {
  test("is not removed", () => {
    given(created)
      .when((state) => removeMember(state, "maker", all))
      .thenRefused("CONFLICT");
  });

  test("does not become a reader or an editor", () => {
    for (const right of ["read", "edit"] as const) {
      const member = { memberId: "maker", kind: "user", right } as const;
      given(created)
        .when((state) => setMember(state, member, all))
        .thenRefused("CONFLICT");
    }
  });

  test("stays beside others whose role lets them own nothing", () => {
    given(created, owner("viewer"))
      .when((state) => removeMember(state, "maker", onlyMaker))
      .thenRefused("CONFLICT");
  });

  test("goes once another may own", () => {
    given(created, owner("other"))
      .when((state) => removeMember(state, "maker", all))
      .then(removed);
  });
});
