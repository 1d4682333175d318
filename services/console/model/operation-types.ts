import type { z } from "zod";
import type { Operations } from "#contracts/http/table/operations.ts";

type Table = {
  readonly [Id in keyof Operations as `${Operations[Id]["method"]} ${Operations[Id]["path"]}`]: Operations[Id];
};

/** "GET /api/catalogues/:id": an operation as it stands in the table of the contracts. */
export type OperationName = keyof Table;

type Given<S> = S extends z.ZodObject ? z.input<S> : Record<string, never>;
type ParamsOf<O> = O extends { readonly params: infer P extends z.ZodObject } ? Given<P> : object;
type QueryOf<O> = O extends { readonly query: infer Q extends z.ZodObject } ? Given<Q> : object;
type BodyOf<O> = O extends { readonly documentedBody: infer B extends z.ZodType }
  ? z.input<B>
  : O extends { readonly body: infer B extends z.ZodType }
    ? z.input<B>
    : undefined;

type Scalar = string | number | boolean;

/** Query parameters by the API's own names; undefined ones are not sent. */
export type QueryValues<K extends OperationName> = {
  readonly [P in keyof QueryOf<Table[K]>]?: Scalar | undefined;
};

type Required<Name extends string, Value> = keyof Value extends never
  ? { readonly [P in Name]?: never }
  : { readonly [P in Name]: Value };

export type InputOf<K extends OperationName> = Required<
  "params",
  { readonly [P in keyof ParamsOf<Table[K]>]: string | number }
> & {
  readonly query?: QueryValues<K>;
} & (BodyOf<Table[K]> extends undefined
    ? { readonly body?: FormData }
    : { readonly body: BodyOf<Table[K]> });

type Success<O> = O extends { readonly answer: infer S extends z.ZodType } ? z.output<S> : never;

export type AnswerOf<K extends OperationName> = Success<Table[K]>;

export type SeismicEvent = AnswerOf<"GET /api/catalogues/:id/events/:eventId">["event"];
export type Catalogue = AnswerOf<"GET /api/catalogues/:id">;
export type CatalogueVersion = AnswerOf<"GET /api/catalogues/:id/versions">["versions"][number];
export type UserAccount = AnswerOf<"GET /api/users">["users"][number];

export type RoleRequest = AnswerOf<"GET /api/role-requests/me">["requests"][number];
