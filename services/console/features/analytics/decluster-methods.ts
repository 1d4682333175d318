import type { InputOf } from "../../model/operation-types.ts";
import { PARAMETERS, type Parameter } from "./parameters.ts";

export type DeclusterBody = InputOf<"POST /api/catalogues/:id/analytics/decluster">["body"];

type Method = {
  readonly value: DeclusterBody["method"];
  readonly text: string;
  readonly parameters: readonly Parameter[];
};

const YES_NO = [
  { value: "", text: "No" },
  { value: "true", text: "Yes" },
] as const;

/** The methods with their parameters; placeholders are the API's defaults. */
export const DECLUSTER_METHODS: readonly Method[] = [
  {
    value: "gardner-knopoff",
    text: "Gardner–Knopoff windows",
    parameters: [
      {
        name: "window",
        label: "Window",
        options: [
          { value: "", text: "Gardner & Knopoff, fitted" },
          { value: "gk-table", text: "Gardner & Knopoff, table" },
          { value: "uhrhammer", text: "Uhrhammer" },
          { value: "gruenthal", text: "Grünthal" },
        ],
      },
      {
        name: "foreshockFraction",
        label: "Before the main event",
        unit: "of the window, 0 to 1",
        placeholder: "1",
      },
      { name: "linked", label: "Aftershocks have aftershocks of their own", options: YES_NO },
    ],
  },
  {
    value: "reasenberg",
    text: "Reasenberg",
    parameters: [
      { name: "tau0", label: "τ0", unit: "days", placeholder: "1" },
      { name: "tauMin", label: "τ min", unit: "days", placeholder: "1" },
      { name: "tauMax", label: "τ max", unit: "days", placeholder: "10" },
      { name: "p", label: "Probability p", placeholder: "0.95" },
      { name: "xk", label: "xk", placeholder: "0.5" },
      { name: "xmeff", label: "Effective magnitude", placeholder: "lowest" },
      { name: "rfact", label: "rfact", unit: "crack radii", placeholder: "10" },
    ],
  },
  {
    value: "nearest-neighbour",
    text: "Nearest neighbour",
    parameters: [PARAMETERS.df, PARAMETERS.b, PARAMETERS.threshold],
  },
];

/** The method that an address names, with what it gives of its parameters. */
export function methodIn(query: URLSearchParams): {
  readonly method: Method;
  readonly typed: Readonly<Record<string, string>>;
} {
  const [first] = DECLUSTER_METHODS;
  const method = DECLUSTER_METHODS.find(({ value }) => value === query.get("method")) ?? first;
  if (!method) throw new Error("There is no method");
  const typed = Object.fromEntries(
    method.parameters.flatMap(({ name }) => {
      const value = query.get(name);
      return value ? [[name, value]] : [];
    }),
  );
  return { method, typed };
}

/** What is sent: numbers as numbers; what is none goes as it was typed, and the service says so. */
export function declusterBody(
  { value, parameters }: Method,
  typed: Readonly<Record<string, string>>,
): DeclusterBody {
  const values = parameters.flatMap(({ name, options }): [string, string | number | boolean][] => {
    const text = typed[name];
    if (!text) return [];
    if (text === "true") return [[name, true]];
    const number = Number(text);
    return [[name, options || Number.isNaN(number) ? text : number]];
  });
  return { method: value, ...Object.fromEntries(values) } as DeclusterBody;
}
