import type { operations } from "#contracts/http/table/operations.ts";

/** What a request is about. */
export type Subjects = {
  readonly catalogue: string;
  readonly otherCatalogue: string;
  readonly event: string;
  readonly share: string;
  /** One of the catalogue's. */
  readonly schedule: string;
  /** A merge of the catalogue and the other one. */
  readonly merge: string;
  /** One of the merge's. */
  readonly decision: string;
  /** A result of declustering. */
  readonly labels: string;
  readonly user: string;
  /** A group of users, a member of the catalogue where there is one. */
  readonly group: string;
  /** An agency that was added. */
  readonly agency: string;
  /** A saved region. */
  readonly region: string;
  /** A pending role request of somebody else. */
  readonly roleRequest: string;
  readonly email: string;
  /** A parked one. */
  readonly notification: string;
  /** One of the user's. */
  readonly accessToken: string;
  /** A password reset token of the user. */
  readonly resetToken: string;
};
type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type Level = (typeof LEVELS)[number];
export type Row = {
  readonly level: Level;
  readonly request: (subjects: Subjects) => readonly [Method, string, unknown?];
  readonly success: number;
  /** Where a role that may call is answered otherwise. */
  readonly successOf?: { readonly [L in Level]?: number };
};

/** The rows of some operations. */
export type Rows = Partial<Record<keyof typeof operations, Row>>;

/** Lowest first. */
export const LEVELS = ["public", "viewer", "editor", "admin"] as const;
