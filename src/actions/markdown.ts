import type { Input } from '../contract'
import { findMarkdown } from '../store/content/texts'
import type { ReadContext, WriteContext } from './context'
import { renderText } from './text'

export async function list({ db, viewer }: ReadContext, { ids }: Input<'markdown.list'>) {
  return { data: await findMarkdown(db, viewer, ids) }
}

export async function render(context: WriteContext, { content_markdown }: Input<'markdown.render'>) {
  const { html } = await renderText(context, content_markdown, { place: 'preview' })
  return { content: html }
}
