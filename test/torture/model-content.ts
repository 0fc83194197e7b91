import type * as m from './model'

export type Reacted = m.Post | m.Comment | m.Message

export interface Draft {
  subjectId: string
  text: string
  version: number
  updatedAt: number
  /** Texts that were replaced unseen, the newest first. */
  others: string[]
}

/** What people do with records besides writing them. */
export interface Content {
  /** Who reacted and when, by emoji, in the order in which the emoji were first used. */
  reactions: Map<Reacted, Map<string, Map<m.Person, { order: number; at: number }>>>
  pins: Map<m.Post, { by: m.Person; at: number }>
  /** Since when. */
  saved: Map<m.Person, Map<m.Post, number>>
  drafts: Map<m.Person, Map<string, Draft>>
}

export const noContent = (): Content => ({
  reactions: new Map(),
  pins: new Map(),
  saved: new Map(),
  drafts: new Map(),
})

export const reactionsTo = ({ content }: m.Model, record: Reacted) =>
  content.reactions.getOrInsertComputed(record, () => new Map())
export const savedBy = ({ content }: m.Model, who: m.Person) =>
  content.saved.getOrInsertComputed(who, () => new Map<m.Post, number>())
export const draftsOf = ({ content }: m.Model, who: m.Person) =>
  content.drafts.getOrInsertComputed(who, () => new Map<string, Draft>())
