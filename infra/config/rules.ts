import { ADMIN_PASSWORD_MIN } from "#contracts/http/accounts.ts";
import type { ConfigProblem } from "./config-error.ts";
import type { VariableName } from "./variables.ts";

/** The variables as they were given, without the empty ones. */
export type Given = Readonly<Partial<Record<VariableName, string>>>;

/**
 * Only the embedded mode makes a secret and an address of its own. A process without a gateway has no
 * use for the secret of sessions, and need not be given it.
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

/** The bootstrap administrator (specification, Authentication 5). */
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

/** What is wrong between variables that are right one by one. */
export function ruleProblems(
  given: Given,
  { isGateway, createAdmin }: { readonly isGateway: boolean; readonly createAdmin: boolean },
): ConfigProblem[] {
  return [...databaseProblems(given, isGateway), ...adminProblems(given, createAdmin)];
}
