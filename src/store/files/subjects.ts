/** What can reference a file. The numbers are stored and never change. */
export const fileSubjects = { post: 1, comment: 2, message: 3, resolution: 4, draft: 5 } as const
export type FileSubject = keyof typeof fileSubjects
