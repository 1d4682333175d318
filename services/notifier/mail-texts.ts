import type { RequestableRole } from "#contracts/events/accounts.ts";
import type { Role } from "#contracts/rights.ts";

/** A mail: one line of subject, and plain text. */
export type Mail = { readonly subject: string; readonly message: string };

/**
 * The mails to users contain no name: a person who registers another's address chooses the name, and
 * would choose words that we send there.
 */
export function passwordResetMail(publicBaseUrl: string, token: string): Mail {
  return {
    subject: "Reset your password",
    message: paragraphs(
      "Hello,",
      `a new password was asked for, for your account at ${publicBaseUrl}.`,
      "To choose it, open this link within one hour. It works once.",
      `${publicBaseUrl}/reset-password?token=${token}`,
      "If you have not asked for it, you need not do anything: your password stays as it is.",
    ),
  };
}

export function invitationMail(publicBaseUrl: string, token: string): Mail {
  return {
    subject: "Your new account",
    message: paragraphs(
      "Hello,",
      `an administrator has made an account for you at ${publicBaseUrl}.`,
      "To choose its password, open this link within a week. It works once.",
      `${publicBaseUrl}/reset-password?token=${token}`,
      `Later, or where the link does not work any more: ${publicBaseUrl}/forgot-password`,
    ),
  };
}

export function approvalRequestedMail(
  publicBaseUrl: string,
  { id, name, email }: { readonly id: string; readonly name: string; readonly email: string },
): Mail {
  return {
    subject: "An account waits to be activated",
    message: paragraphs(
      "Hello,",
      `${name} <${email}> has registered, and can sign in once an administrator has activated the account:`,
      `${publicBaseUrl}/admin/users?search=${encodeURIComponent(id)}`,
      "Whoever has an account reads every internal catalogue.",
    ),
  };
}

export function accountActivatedMail(publicBaseUrl: string): Mail {
  return {
    subject: "Your account is active",
    message: paragraphs(
      "Hello,",
      `an administrator has activated your account at ${publicBaseUrl}. You can sign in from now on:`,
      `${publicBaseUrl}/login`,
    ),
  };
}

export function alertConfirmationMail(publicBaseUrl: string, token: string): Mail {
  return {
    subject: "Confirm mails of an alert",
    message: paragraphs(
      "Hello,",
      `your account at ${publicBaseUrl} has made an alert that tells of earthquakes by mail to this address.`,
      "It begins once you open this link:",
      `${publicBaseUrl}/api/alerts/confirm?token=${token}`,
      "If you have not asked for it, you need not do anything: no such mail is sent.",
    ),
  };
}

export type SubmittedRequest = {
  readonly userName: string;
  readonly userEmail: string;
  readonly currentRole: Role;
  readonly requestedRole: RequestableRole;
  readonly justification: string;
};

export function roleRequestSubmittedMail(publicBaseUrl: string, request: SubmittedRequest): Mail {
  const { userName, userEmail, currentRole, requestedRole, justification } = request;
  return {
    subject: `Role request: ${currentRole} to ${requestedRole}`,
    message: paragraphs(
      "Hello,",
      `${userName} <${userEmail}> has the role ${currentRole} and asks for the role ${requestedRole}, with these words:`,
      quoted(justification),
      `The request waits for an administrator's review: ${publicBaseUrl}/role-requests?status=pending`,
    ),
  };
}

export type ReviewedRequest = {
  /** Null when the submission is unknown. */
  readonly requestedRole: RequestableRole | null;
  readonly status: "approved" | "rejected";
  readonly notes: string | null;
};

export function roleRequestReviewedMail(publicBaseUrl: string, request: ReviewedRequest): Mail {
  const { requestedRole, status, notes } = request;
  const role = requestedRole === null ? "another role" : `the role ${requestedRole}`;
  const effect =
    status === "approved" ? " You have it from now on." : " Your role stays as it was.";
  return {
    subject: `Your role request was ${status}`,
    message: paragraphs(
      "Hello,",
      `your request for ${role} at ${publicBaseUrl} was ${status}.${effect}`,
      ...(notes === null ? [] : ["The administrator's notes:", quoted(notes)]),
    ),
  };
}

function paragraphs(...texts: readonly string[]): string {
  return `${texts.join("\n\n")}\n`;
}

/** Other people's words, marked on every line. */
function quoted(text: string): string {
  return text
    .split(/\r\n|\p{Zl}|\p{Zp}|[\r\n\v\f\u0085]/u)
    .map((line) => `> ${line.replaceAll(/\p{Cc}/gu, " ")}`)
    .join("\n");
}
