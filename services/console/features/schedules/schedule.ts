import type { AnswerOf } from "../../model/operation-types.ts";

export type Schedule = AnswerOf<"GET /api/schedules/:id">["schedule"];
