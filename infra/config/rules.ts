import { ADMIN_PASSWORD_MIN } from "#contracts/http/accounts.ts";
import type { ConfigProblem } from "./config-error.ts";
import type { VariableName } from "./variables.ts";

/** The variables as given, without empty ones. */
export type Given = Readonly<Partial<Record<VariableName, string>>>;

/**
 * Only embedded mode creates a secret and an address by itself. A process without a gateway needs no
 * secret for sessions.
 */
function databaseProblems(given: Given, isGateway: boolean): ConfigProblem[] {
  if (!given.DATABASE_URL) return [];
  const required = isGateway
    ? (["JWT_SECRET", "PUBLIC_BASE_URL"] as const)
    : (["PUBLIC_BASE_URL"] as const);
  return required
    .filter((variable) => !given[variable])
    .map((variable) => ({ variable, message: "is required when DATABASE_URL is set" }));
}

/** The first administrator (`contracts/README.md`, Accounts). */
function adminProblems(given: Given, createAdmin: boolean): ConfigProblem[] {
  if (!createAdmin) return [];
  const problems: ConfigProblem[] = [];
  if (!/^[^\s@]+@[^\s@]+$/.test(given.ADMIN_EMAIL ?? "")) {
    problems.push({
      variable: "ADMIN_EMAIL",
      message: "must be an email address when CREATE_ADMIN_USER is true",
    });
  }
  if ((given.ADMIN_PASSWORD ?? "").length < ADMIN_PASSWORD_MIN) {
    problems.push({
      variable: "ADMIN_PASSWORD",
      message: `must have at least ${ADMIN_PASSWORD_MIN} characters when CREATE_ADMIN_USER is true`,
    });
  }
  return problems;
}

/** Problems of combinations: variables that are valid one by one but not together. */
export function ruleProblems(
  given: Given,
  { isGateway, createAdmin }: { readonly isGateway: boolean; readonly createAdmin: boolean },
): ConfigProblem[] {
  return [...databaseProblems(given, isGateway), ...adminProblems(given, createAdmin)];
}
