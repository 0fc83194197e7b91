import type { Input } from '../contract'
import type { WriteContext } from './context'
import { renderText } from './text'

export async function render(context: WriteContext, { content_markdown }: Input<'markdown.render'>) {
  const { html } = await renderText(context, content_markdown)
  return { content: html }
}
