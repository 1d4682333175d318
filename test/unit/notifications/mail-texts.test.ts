import { expect, test } from "vitest";
import {
  passwordResetMail,
  roleRequestReviewedMail,
  roleRequestSubmittedMail,
} from "#services/notifier/mail-texts.ts";
import { testRows } from "../../support/test-rows.ts";

const BASE = "https://quakes.example.org";

const REQUEST = {
  userName: "Ana María",
  userEmail: "ana@example.org",
  currentRole: "viewer",
  requestedRole: "editor",
  justification: "Because.",
} as const;

test("the mail of a password reset reads as it is", () => {
  expect(passwordResetMail(BASE, "TOKEN")).toEqual({
    subject: "Reset your password",
    message: [
      "Hello,",
      "",
      "a new password was asked for, for your account at https://quakes.example.org.",
      "",
      "To choose it, open this link within one hour. It works once.",
      "",
      "https://quakes.example.org/reset-password?token=TOKEN",
      "",
      "If you have not asked for it, you need not do anything: your password stays as it is.",
      "",
    ].join("\n"),
  });
});

test("the mail of a submitted role request has nothing that the user has written in its subject", () => {
  const { subject } = roleRequestSubmittedMail(BASE, REQUEST);
  expect(subject).toBe("Role request: viewer to editor");
});

test("the mail of a submitted role request leads to the page where it is reviewed", () => {
  const { message } = roleRequestSubmittedMail(BASE, REQUEST);
  expect(message).toContain(`${BASE}/role-requests?status=pending`);
});

testRows(
  "the mail of a submitted role request quotes every line of the justification",
  ["\n", "\r\n", "\r", "\u0085", "\u2028", "\u2029", "\v", "\f"],
  (end) => {
    const justification = `I work here.${end}https://evil.example.org`;
    const { message } = roleRequestSubmittedMail(BASE, { ...REQUEST, justification });
    expect(message).toContain("\n\n> I work here.\n> https://evil.example.org\n\n");
  },
);

test("the mail of a submitted role request shows no control characters", () => {
  const justification = "a\u0000b\u001b[2Kc\td";
  const { message } = roleRequestSubmittedMail(BASE, { ...REQUEST, justification });
  expect(message).toContain("> a b [2Kc d\n");
});

testRows(
  "the mail of a reviewed role request tells the review, and has no empty notes",
  [
    [{ requestedRole: "admin", status: "approved", notes: null }, "the role admin"],
    [{ requestedRole: null, status: "rejected", notes: null }, "another role"],
  ] as const,
  (request, role) => {
    const { subject, message } = roleRequestReviewedMail(BASE, request);
    expect(subject).toBe(`Your role request was ${request.status}`);
    expect(message).toContain(`your request for ${role} at ${BASE} was ${request.status}.`);
    expect(message).not.toContain("notes");
  },
);
