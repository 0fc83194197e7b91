import Type, { type Static } from 'typebox'
import { operation } from './operation'
import { Body, Id, Markdown, Nullable, Shape } from './page'
import { RecordIds } from './record-ids'

export const Source = Shape('Source', {
  id: Id,
  content_markdown: Type.String({ description: 'The text as it was written.' }),
  resolution_markdown: Nullable(
    Type.String(),
    'The note that a post was resolved with; null if there is none, and for comments and messages.',
  ),
})
export type Source = Static<typeof Source>

export const markdown = {
  list: operation({
    method: 'GET',
    path: '/v2/markdown',
    summary: 'Get the Markdown that posts, comments and messages were written in.',
    description: 'Lists those of the given records that you may see, in any order.',
    access: 'read',
    query: Type.Object({ ids: RecordIds }),
    output: Type.Object({ data: Type.Array(Source) }, { additionalProperties: false }),
    errors: [],
  }),
  render: operation({
    method: 'POST',
    path: '/v2/markdown',
    summary: 'Render Markdown as HTML.',
    description:
      'For previews: returns the `content` that a post, comment or message of yours would have, mentions included. Nothing is stored.',
    access: 'write',
    body: Body({ content_markdown: Markdown }),
    output: Shape('RenderedMarkdown', { content: Type.String({ description: 'HTML, safe to show as it is.' }) }),
    errors: [],
  }),
}
