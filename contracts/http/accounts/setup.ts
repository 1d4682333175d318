import { z } from "zod";
import { EXAMPLE } from "../example-ids.ts";
import { BODY_ERRORS, operation } from "../operation.ts";
import { ADMIN_PASSWORD_MIN, User } from "./accounts.ts";

const Code = z.string().describe("of the link that the start has printed");

/** The first administrator of a service that nobody has configured. */
export const FirstAdministrator = z.object({
  email: z.string(),
  password: z.string().min(ADMIN_PASSWORD_MIN),
  name: z.string(),
});

/** Read only once it is known that there is something to set up, and that the code is right. */
const WithCode = z.looseObject({ code: z.unknown().optional() });

const Loaded = z.object({ catalogueId: z.uuid() });

export const loadSetupSample = operation({
  method: "POST",
  path: "/api/setup/sample",
  summary: "Load the sample catalogue, public, before there is an administrator",
  tag: "Set-up",
  access: "public",
  rate: "auth",
  body: WithCode,
  documentedBody: z.object({ code: Code }),
  example: { code: EXAMPLE.setupCode },
  success: { status: 201, schema: Loaded },
  errors: [...BODY_ERRORS, "FORBIDDEN", "NOT_FOUND", "CONFLICT"],
});

export const createFirstAdministrator = operation({
  method: "POST",
  path: "/api/setup/administrator",
  summary: "Make the first administrator and sign in; afterwards there is nothing to set up",
  tag: "Set-up",
  access: "public",
  rate: "auth",
  body: WithCode,
  documentedBody: FirstAdministrator.extend({ code: Code }),
  example: {
    code: EXAMPLE.setupCode,
    email: EXAMPLE.email,
    password: EXAMPLE.password,
    name: "Aroha Ngata",
  },
  success: { status: 201, schema: z.object({ user: User }) },
  errors: [...BODY_ERRORS, "FORBIDDEN", "NOT_FOUND", "CONFLICT"],
});

export const loadSample = operation({
  method: "POST",
  path: "/api/sample",
  summary: "Load the sample catalogue, public; once deleted it can be loaded again",
  tag: "Set-up",
  access: "editor",
  makesCatalogue: true,
  rate: "write",
  success: { status: 201, schema: Loaded },
  errors: ["CONFLICT"],
});
