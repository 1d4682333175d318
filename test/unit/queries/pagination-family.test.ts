import { expect, test } from "vitest";
import type { EventsQuery } from "#contracts/http/events/seismic-events.ts";
import { paginationFamily } from "#services/gateway/routes/events/pagination-family.ts";

test.each<[EventsQuery, string]>([
  [{}, "page"],
  [{ asOf: "3" }, "page"],
  [{ page: 2 }, "page"],
  [{ pageSize: 10 }, "page"],
  [{ limit: 10 }, "offset"],
  [{ offset: 0 }, "offset"],
  [{ offset: 5, limit: 10 }, "offset"],
  [{ cursor: "" }, "cursor"],
  [{ cursor: "x", limit: 10, direction: "asc" }, "cursor"],
  [{ direction: "desc" }, "cursor"],
  [{ pagination: "cursor", limit: 10 }, "cursor"],
])("%j is paged by %s", (query, family) => {
  expect(paginationFamily(query)).toBe(family);
});
