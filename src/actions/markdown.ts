import type { Input } from '../contract'
import type { WriteContext } from './context'
import { written } from './text'

export async function render(context: WriteContext, { content_markdown }: Input<'markdown.render'>) {
  const { html } = await written(context, content_markdown)
  return { content: html }
}
