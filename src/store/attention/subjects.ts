/** What a member can read and follow, as numbers in the table `attention`. They never change. */
export const subjectTypes = { post: 1, thread: 2, channel: 3 } as const
export type SubjectType = keyof typeof subjectTypes

export const levelNumbers = { none: 0, mentions: 1, all: 2 } as const
export const levelNames = ['none', 'mentions', 'all'] as const
