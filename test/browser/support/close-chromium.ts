import { afterAll } from "vitest";
import { closeChromium } from "./console.ts";

afterAll(closeChromium);
