import type { AnswerOf } from "./operation-types.ts";

export type Catalogue = AnswerOf<"GET /api/catalogues/:id">;
export type CatalogueVersion = AnswerOf<"GET /api/catalogues/:id/versions">["versions"][number];
export type UserAccount = AnswerOf<"GET /api/users">["users"][number];
