import Type from 'typebox'
import { contract } from '../../contract'
import type { SearchResult } from '../../contract/search'
import { memoize } from '../../domain/caches'
import { describePage, lean, quote, quoteName, when } from '../text'
import { describe, PAGE_SIZE, pageFields, pageOf, paging, recordsOf, tool } from '../tool'

const { sort } = contract.search.list.query.properties

export const search = tool({
  name: 'search',
  title: 'Search',
  description:
    'Search posts, comments and messages. All words must match; "exact phrase", -excluded, prefix*, in:channel, from:name, is:open, is:resolved, is:post, is:comment, is:message, before: and after:2026-01-31 narrow it down.',
  input: { q: Type.String({ maxLength: 10_000 }), sort: describe(sort), ...paging },
  output: { results: recordsOf('type'), ...pageFields },
  async run(api, { limit = PAGE_SIZE, ...query }) {
    const page = await api.call('search.list', { limit, ...query })
    const hint = page.did_you_mean === null ? [] : [`Did you mean: ${quoteName(page.did_you_mean)}`]
    return {
      text: [describePage(page, page.data.length, 'result'), ...hint, ...page.data.map(resultText)].join('\n\n'),
      data: { results: page.data.map((result) => ({ id: recordOf(result).id, ...lean(result) })), ...pageOf(page) },
    }
  },
})

const recordOf = (result: SearchResult) =>
  result.type === 'post' ? result.post : result.type === 'comment' ? result.comment : result.message

const resultText = memoize((result: SearchResult): string => {
  const { id, author, created_at } = recordOf(result)
  const { subject } = result
  const where = subject.channel ? ` in #${quoteName(subject.channel.name)}` : ''
  const of = result.type === 'post' ? '' : ` of ${subject.type} ${quoteName(subject.title)} (${subject.id})`
  const title = result.type === 'post' ? ` ${quoteName(subject.title)}` : ''
  const passages = result.excerpts.filter(({ field }) => field !== 'title').map(({ text }) => text)
  return [
    `- ${result.type}${title} (${id})${of}${where} by ${quoteName(author.name)}, ${when(created_at)}`,
    ...(passages.length > 0 ? [quote(passages.join(' … '))] : []),
  ].join('\n')
})
