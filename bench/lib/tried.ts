/** What was tried where a goal is missed, by the question or by the group of questions. It is shown only while it is missed. */
export const tried: Record<string, string> = {}
