import Type from 'typebox'
import { Body, MAX_TEXT_LENGTH } from './page'

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
