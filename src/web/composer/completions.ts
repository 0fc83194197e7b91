import type { ReactNode } from 'react'
import { isInCode } from '../data/code-ranges'
import { replaceRange } from './editing'

export type Completable = 'mention' | 'emoji' | 'block'

/** An unfinished mention, name of an emoji or name of a block before the caret. */
export interface Trigger {
  kind: Completable
  at: number
  query: string
}

export interface Completion {
  id: string
  /** How it is announced. */
  label: string
  content: ReactNode
  /** What it inserts. */
  toText(): string
}

const MENTION = /(?<=^|[\s([{"'*_])@([\p{L}\p{N}.'-]{0,40}(?: [\p{L}\p{N}.'-]{0,40}){0,2})$/u
const EMOJI = /(?<![\p{L}\p{N}_:/]):([a-z0-9_+-]{2,40})$/u
const NAMED_EMOJI = /(?<![\p{L}\p{N}_:/]):([a-z0-9_+-]{1,40}):$/u

/** What is being typed at the end of a text. */
export function findTriggerIn(before: string): Trigger | undefined {
  const kind: Completable = EMOJI.test(before) ? 'emoji' : 'mention'
  const [whole, query] = before.match(kind === 'emoji' ? EMOJI : MENTION) ?? []
  return whole === undefined ? undefined : { kind, at: before.length - whole.length, query: query! }
}

export function findTrigger(area: HTMLTextAreaElement): Trigger | undefined {
  const before = area.value.slice(0, area.selectionStart)
  const trigger = findTriggerIn(before)
  return trigger && !isInCode(area.value, before.length) ? trigger : undefined
}

/** The `:name:` at the end of a text. */
export const findNamedEmoji = (before: string): string | undefined => before.match(NAMED_EMOJI)?.[1]

/** Replaces `:name:` before the caret by its emoji, if there is one. While the list loads, typing can go on. */
export async function insertNamedEmoji(area: HTMLTextAreaElement) {
  const { value, selectionStart: end } = area
  const [whole, name] = value.slice(0, end).match(NAMED_EMOJI) ?? []
  if (whole === undefined || isInCode(value, end)) return
  const { findEmoji } = await import('../data/emoji-list')
  const emoji = findEmoji(name!)?.emoji
  const start = end - whole.length
  if (!emoji || area.value.slice(start, end) !== whole || document.activeElement !== area) return
  const caret = area.selectionStart + emoji.length - whole.length
  replaceRange(area, start, end, emoji)
  area.setSelectionRange(caret, caret)
}
