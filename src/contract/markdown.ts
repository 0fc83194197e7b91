import Type, { type Static } from 'typebox'
import { operation } from './operation'
import { Body, Id, MAX_TEXT_LENGTH, Markdown, Nullable, RecordIds, Shape } from './shapes'

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
    depends: 'caller',
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

export const ChecklistItem = Type.Integer({
  minimum: 0,
  description: 'The number of the check box in the text, counted from 0 in the order of the HTML.',
})

export const ChecklistChange = Body({
  is_checked: Type.Boolean({ description: 'Whether the item is done.' }),
  label: Type.Optional(
    Type.String({
      maxLength: MAX_TEXT_LENGTH,
      description:
        'The text of the item as you last saw it, without the items below it. If the item now has another text, nothing is changed, and the response is 409 `checklist_changed`.',
    }),
  ),
})
