import { expect } from 'bun:test'
import type { Post } from '../../src/contract/posts'
import type { EventRow } from '../../src/store/log/events'
import type { Model } from './model'

/** Expects the log to contain the content of existing records, and none of deleted ones. */
export function expectLogOf(model: Model, rows: readonly EventRow[]) {
  const deleted = deletedIn(model)
  for (const { type, data, subject_id, is_redacted } of rows) {
    // A reaction says what it is to, and repeats none of it.
    if (subject_id === '' || type.startsWith('reaction.')) continue
    const { subject, ...itself } = JSON.parse(data) as Post & { subject?: Post }
    const { id, title = undefined, content, resolution } = subject ?? itself
    const isDeleted = deleted.get(id)
    expect([type, id, subject_id, is_redacted]).toEqual([type, id, id, isDeleted ?? false])
    if (isDeleted) expect([type, title || '', content, resolution ?? null]).toEqual([type, '', '', null])
    else expect(content).toStartWith('<p>')
    const answer = resolution?.resolved_comment
    if (answer) expect([type, answer.id, deleted.get(answer.id)]).toEqual([type, answer.id, false])
  }
}

function deletedIn({ posts, comments, messages }: Model): Map<string, boolean> {
  return new Map([
    ...posts.map(({ id, isGone }) => [id, isGone] as const),
    ...comments.map(({ id, post, isGone, isEmptied }) => [id, isGone || isEmptied || post.isGone] as const),
    ...messages.map(({ id, isGone }) => [id, isGone] as const),
  ])
}
