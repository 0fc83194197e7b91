import Type from 'typebox'
import { Body } from './page'

export const ChecklistItem = Type.Integer({
  minimum: 0,
  description: 'The number of the check box in the text, counted from 0 in the order of the HTML.',
})

export const ChecklistChange = Body({
  is_checked: Type.Boolean({ description: 'Whether the item is done.' }),
  label: Type.Optional(
    Type.String({
      maxLength: 100_000,
      description:
        'The text of the item as you last saw it, without the items below it. If the item now has another text, nothing is changed, and the response is 409 `checklist_changed`.',
    }),
  ),
})
