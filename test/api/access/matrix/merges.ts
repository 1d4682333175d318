import { randomUUID } from "node:crypto";
import type { Rows } from "./row.ts";

/** Of a merge of two catalogues, and a decision of it. */
export const MERGES = {
  getMerge: {
    level: "viewer",
    request: ({ merge }) => ["GET", `/api/catalogues/${merge}/merge`],
    success: 200,
  },
  previewRefresh: {
    level: "editor",
    request: ({ merge }) => ["POST", `/api/catalogues/${merge}/merge/preview`, {}],
    success: 200,
  },
  refreshMerge: {
    level: "editor",
    request: ({ merge }) => ["POST", `/api/catalogues/${merge}/merge/refresh`, {}],
    success: 200,
  },
  setDecisions: {
    level: "editor",
    request: ({ merge }) => ["PUT", `/api/catalogues/${merge}/merge/decisions`, { decisions: [] }],
    success: 200,
  },
  // There are no such events: nothing is decided.
  makeDecision: {
    level: "editor",
    request: ({ merge, catalogue, otherCatalogue }) => [
      "POST",
      `/api/catalogues/${merge}/merge/decisions`,
      {
        type: "same",
        events: [catalogue, otherCatalogue].map((id) => ({
          catalogue_id: id,
          event_id: randomUUID(),
        })),
      },
    ],
    success: 400,
  },
  withdrawDecision: {
    level: "editor",
    request: ({ merge, decision }) => [
      "DELETE",
      `/api/catalogues/${merge}/merge/decisions/${decision}`,
    ],
    success: 200,
  },
  listReviewPairs: {
    level: "editor",
    request: ({ merge }) => ["GET", `/api/catalogues/${merge}/merge/review`],
    success: 200,
  },
  // There is no such pair.
  reviewPair: {
    level: "editor",
    request: ({ merge }) => [
      "PUT",
      `/api/catalogues/${merge}/merge/review/${randomUUID()}.${randomUUID()}`,
      { claim: true },
    ],
    success: 404,
  },
} satisfies Rows;
