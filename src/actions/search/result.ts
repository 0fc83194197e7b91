import type { Comment } from '../../contract/comments'
import { toLine } from '../../contract/excerpt'
import type { Message } from '../../contract/messages'
import type { Post } from '../../contract/posts'
import type { SearchResult, SearchSubject } from '../../contract/search'
import { parseFields, parsePostTitle } from '../../domain/record-fields'
import { makeExcerpts, type SearchedField } from '../../domain/search/excerpts'
import type { Terms } from '../../domain/search/terms'
import type { Links } from '../../records/links'
import type { Hit } from '../../store/search/hits'
import type { FoundRecord } from '../../store/search/results'
import { typeNamed } from '../../store/search/types'

/** Characters of records that are searched for excerpts before others get their turn. */
const TURN_LENGTH = 100_000

export interface ShownHit {
  hit: Hit
  found: FoundRecord
}

/** Results as the API shows them, as JSON. Long texts take some ten milliseconds each, and there may be a page of them. */
export async function toResults(links: Links, terms: Terms, shown: readonly ShownHit[]): Promise<string[]> {
  const results: string[] = []
  let length = 0
  for (const { hit, found } of shown) {
    results.push(toResult(links, terms, hit, found))
    length += found.record.length
    if (length < TURN_LENGTH) continue
    await new Promise(setImmediate)
    length = 0
  }
  return results
}

/** The record is not turned into JSON again: a page of long ones would take a tenth of a second. */
function toResult(links: Links, terms: Terms, { type }: Hit, found: FoundRecord): string {
  const name = typeNamed(type)
  const record = JSON.parse(found.record) as Post & Comment & Message
  const excerpts = makeExcerpts(terms, name === 'post' ? fieldsOfPost(record) : [contentOf(record)])
  const rest = { subject: subjectOf(links, found), excerpts } satisfies Partial<SearchResult>
  return `{"type":"${name}","${name}":${found.record},${JSON.stringify(rest).slice(1)}`
}

function subjectOf(links: Links, found: FoundRecord): SearchSubject {
  const { subject_id: id, post_fields, channel_fields, thread_title } = found
  if (post_fields === null)
    return { type: 'thread', id, title: thread_title ?? '', url: links.thread(id), channel: null }
  const channel = parseFields<Post['channel']>(channel_fields!)
  return { type: 'post', id, title: parsePostTitle(post_fields), url: links.post(id), channel }
}

const contentOf = ({ content }: { content: string }): SearchedField => ({ field: 'content', text: toLine(content) })

function fieldsOfPost(post: Post): SearchedField[] {
  const note = post.resolution?.resolved_html
  return [
    { field: 'title', text: post.title },
    contentOf(post),
    ...(note ? [{ field: 'resolution' as const, text: toLine(note) }] : []),
  ]
}
