import { type Cast, comment, post, shownByIds } from './cast'
import type { Entries } from './entry'
import { readList } from './rules'

const editedPost = async (cast: Cast) => cast.author.posts.update({ id: (await post(cast)).id, title: 'Dinner' })
const editedComment = async (cast: Cast) =>
  cast.author.comments.update({ id: (await comment(cast)).id, content_markdown: 'At one.' })

export const edits: Entries<'edits'> = {
  'edits.list': {
    input: shownByIds(editedPost),
    rule: readList('channel'),
    also: { 'of comments': { input: shownByIds(editedComment), rule: readList('channel') } },
  },
}
