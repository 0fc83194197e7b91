/**
 * The kinds of records as columns store them. These numbers never change.
 * They are in `reactions`, `reaction_counts`, `search_documents` and `file_references`.
 */
export const kindNumbers = { post: 1, comment: 2, message: 3 } as const

/** What can reference a file, in `file_references`: a resolution and a draft are no records with an id. */
export const fileHolderNumbers = { ...kindNumbers, resolution: 4, draft: 5 } as const
export type FileHolder = keyof typeof fileHolderNumbers

/** What a member can read and follow, in `attention`, which has its own numbers. */
export const attentionNumbers = { post: 1, thread: 2, channel: 3 } as const
export type AttentionKind = keyof typeof attentionNumbers
