/** Requests that have a body, each with one that is valid, and where its text members are. */
export type BodyOperation = {
  readonly method: "POST" | "PATCH";
  readonly path: (names: { catalogue: string; event: string; user: string }) => string;
  readonly valid: Readonly<Record<string, unknown>>;
  /** Registration answers `{error}` alone to what it finds wrong itself. */
  readonly withoutCode?: true;
};

const MERGE = {
  name: "hostile",
  sourceCatalogues: [
    { id: "0b7f5e0e-6c3d-4b54-9a2b-1d6b2f1c8a01", source: "one" },
    { id: "0b7f5e0e-6c3d-4b54-9a2b-1d6b2f1c8a02", source: "other" },
  ],
  config: { timeThreshold: 1, distanceThreshold: 1, mergeStrategy: "quality", priority: "" },
};

export const BODY_OPERATIONS: Readonly<Record<string, BodyOperation>> = {
  createCatalogue: {
    method: "POST",
    path: () => "/api/catalogues",
    valid: { name: "hostile", events: [] },
  },
  updateCatalogue: {
    method: "PATCH",
    path: ({ catalogue }) => `/api/catalogues/${catalogue}`,
    valid: { name: "renamed" },
  },
  addEvents: {
    method: "POST",
    path: ({ catalogue }) => `/api/catalogues/${catalogue}/events`,
    valid: { events: [] },
  },
  changeEvent: {
    method: "PATCH",
    path: ({ catalogue, event }) => `/api/catalogues/${catalogue}/events/${event}`,
    valid: { region: "x" },
  },
  findDuplicates: {
    method: "POST",
    path: ({ catalogue }) => `/api/catalogues/${catalogue}/duplicates`,
    valid: { timeThreshold: 1, distanceThreshold: 1 },
  },
  removeEvents: {
    method: "POST",
    path: ({ catalogue }) => `/api/catalogues/${catalogue}/events/remove`,
    valid: { events: [] },
  },
  convertMagnitudes: {
    method: "POST",
    path: ({ catalogue }) => `/api/catalogues/${catalogue}/conversions`,
    valid: { conversions: ["isc-gem-mb"] },
  },
  mergeCatalogues: { method: "POST", path: () => "/api/merge", valid: MERGE },
  evaluateMerge: {
    method: "POST",
    path: () => "/api/merge/evaluate",
    valid: { ...MERGE, truth: "event", timeThresholds: [1], distanceThresholds: [1] },
  },
  previewMerge: { method: "POST", path: () => "/api/merge/preview", valid: MERGE },
  register: {
    method: "POST",
    path: () => "/api/auth/register",
    valid: { name: "a", email: "taken@example.org", password: "short" },
    withoutCode: true,
  },
  login: {
    method: "POST",
    path: () => "/api/auth/login",
    valid: { email: "nobody@example.org", password: "wrong" },
  },
  updateUser: {
    method: "PATCH",
    path: ({ user }) => `/api/users/${user}`,
    valid: { role: "viewer" },
  },
};
