import type { Input } from '../contract'
import { findCommentSources, findMessageSources, findPostSources } from '../store/sources'
import type { ReadContext, WriteContext } from './context'
import { renderText } from './text'

export async function list({ db, viewer }: ReadContext, { ids }: Input<'markdown.list'>) {
  const starting = (prefix: string) => ids.filter((id) => id.startsWith(prefix))
  return {
    data: [
      ...(await findPostSources(db, viewer, starting('post_'))),
      ...(await findCommentSources(db, viewer, starting('cmt_'))),
      ...(await findMessageSources(db, viewer, starting('msg_'))),
    ],
  }
}

export async function render(context: WriteContext, { content_markdown }: Input<'markdown.render'>) {
  const { html } = await renderText(context, content_markdown)
  return { content: html }
}
