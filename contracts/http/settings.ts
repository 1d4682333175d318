import { z } from "zod";
import { operation } from "./operation.ts";

/** What a program has to know of this installation. */
const Settings = z
  .object({
    version: z.string().describe("of the service"),
    agencies: z.array(z.string()).describe("names of the agencies that events are imported from"),
    limits: z.object({
      maxBodyBytes: z.int().describe("of a JSON body"),
      maxUploadBytes: z.int().describe("of an uploaded file"),
      maxEventsPerRequest: z.int().describe("seismic events in one request"),
      maxColumnEvents: z.int().describe("seismic events in one answer by column"),
    }),
    registration: z
      .enum(["open", "approval", "closed"])
      .describe(
        "who may make an account: everybody, everybody with an administrator's approval, administrators",
      ),
    signIn: z
      .object({
        passwords: z.boolean().describe("whether people sign in by passwords"),
        institute: z.boolean().describe("whether people sign in with their institute's account"),
      })
      .describe("ways of signing in"),
    tiles: z
      .object({
        url: z.string().describe("with {z}, {x} and {y}"),
        credit: z.string().nullable().describe("text to be shown with the tiles"),
      })
      .nullable()
      .describe("of the map's background; null: none from elsewhere"),
  })
  .meta({ id: "Settings" });

export const getSettings = operation({
  method: "GET",
  path: "/api/settings",
  summary: "Agencies, limits, map tiles and version of this service",
  tag: "Service",
  access: "public",
  rate: "read",
  query: z.strictObject({}),
  success: { status: 200, schema: Settings },
  errors: ["VALIDATION_ERROR"],
});
