import { notFound, Problem } from '../../contract/errors'
import { findCheckBox, toggleCheckBox, toggleRenderedCheckBox, toLabel } from '../../domain/markdown/check-boxes'

/**
 * Changes one check box, in the Markdown and in the HTML. Returns undefined if it is in that state already. The HTML is not
 * rendered again, because that would also change other things, such as the names of mentioned members.
 */
export function checkItem(
  markdown: string,
  html: string,
  item: number,
  { is_checked, label }: { is_checked: boolean; label?: string },
): { markdown: string; content: string } | undefined {
  const box = findCheckBox(html, item)
  if (label !== undefined && box?.label !== toLabel(label))
    throw new Problem('checklist_changed', 'The item has another text now. Read the text again.')
  if (!box) throw notFound('check box')
  if (box.isChecked === is_checked) return undefined

  const changed = toggleCheckBox(markdown, item, is_checked)
  const content = toggleRenderedCheckBox(html, item, is_checked)
  if (changed === undefined || content === undefined) throw notFound('check box')
  return { markdown: changed, content }
}
