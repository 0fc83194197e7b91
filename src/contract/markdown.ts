import Type from 'typebox'
import { operation } from './operation'
import { Body, Markdown, Shape } from './page'

export const markdown = {
  render: operation({
    method: 'POST',
    path: '/v2/markdown',
    summary: 'See Markdown as it would be shown, mentions included.',
    description:
      'For previews: the `content` that a post, a comment or a message of yours would have. Nothing is kept.',
    access: 'write',
    body: Body({ content_markdown: Markdown }),
    output: Shape('RenderedMarkdown', { content: Type.String({ description: 'HTML, safe to show as it is.' }) }),
    errors: [],
  }),
}
