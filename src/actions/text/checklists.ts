import { notFound, Problem } from '../../contract/errors'
import { findCheckBox, toggleCheckBox, toggleRenderedCheckBox, toLabel } from '../../domain/markdown/check-boxes'

/**
 * A text with one check box changed, in its Markdown and in its HTML; undefined if it is as asked for already. The HTML is not
 * rendered again: that would change what else differs by now, such as the names of those it mentions.
 */
export function checkItem(
  markdown: string,
  html: string,
  item: number,
  { is_checked, label }: { is_checked: boolean; label?: string },
): { markdown: string; content: string } | undefined {
  const box = findCheckBox(html, item)
  if (label !== undefined && box?.label !== toLabel(label))
    throw new Problem('checklist_changed', 'The item is another one now. Read the text again.')
  if (!box) throw notFound('check box')
  if (box.isChecked === is_checked) return undefined

  const changed = toggleCheckBox(markdown, item, is_checked)
  const content = toggleRenderedCheckBox(html, item, is_checked)
  if (changed === undefined || content === undefined) throw notFound('check box')
  return { markdown: changed, content }
}
