import type { Scope } from "#contracts/access-scopes.ts";
import type { CatalogueAccess, Editing, MemberRight, Role } from "#contracts/rights.ts";

/** Who and what there is, as the model of rights knows it; changed with what it stands for. */
export type World = {
  readonly users: readonly User[];
  readonly groups: readonly Group[];
  readonly catalogues: Catalogue[];
  readonly tokens: Token[];
  readonly shares: Share[];
  /** A time at which all catalogues were there. */
  readonly now: string;
};

export type User = {
  readonly id: string;
  /** Of a session, which ends when the account is deactivated. */
  secret: string;
  readonly signIn: () => Promise<string>;
  role: Role;
  isActive: boolean;
};

export type Group = { readonly id: string; readonly members: Set<string> };

export type Catalogue = {
  readonly id: string;
  /** Texts that stand in nothing else: its name, what its events hold, its label in a merge. */
  markers: readonly string[];
  readonly event: string;
  access: CatalogueAccess;
  editing: Editing;
  /** Users and groups. */
  readonly members: Map<string, MemberRight>;
  /** What it was merged of; absent of others. */
  readonly sources?: readonly Catalogue[];
};

export type Token = {
  readonly secret: string;
  readonly id: string;
  readonly owner: User;
  readonly scopes: readonly Scope[];
  readonly catalogues: readonly string[] | null;
  isDead: boolean;
};

export type Share = {
  readonly id: string;
  readonly secret: string;
  readonly catalogue: Catalogue;
  isEnded: boolean;
};

export type Caller =
  | { readonly kind: "guest" }
  | { readonly kind: "session"; readonly user: User }
  | { readonly kind: "token"; readonly token: Token };
