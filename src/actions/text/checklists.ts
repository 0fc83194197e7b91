import { notFound, Problem } from '../../contract/errors'
import { findCheckBox, toggleCheckBox, toggleRenderedCheckBox, toLabel } from '../../domain/markdown/check-boxes'
import { endTurn } from '../../domain/turns'

/**
 * Changes one check box, in the Markdown and in the HTML. Returns undefined if it is in that state already. The HTML is not
 * rendered again, because that would also change other things, such as the names of mentioned members.
 */
export async function checkItem(
  markdown: string,
  html: string,
  item: number,
  { is_checked, label }: { is_checked: boolean; label?: string },
): Promise<{ markdown: string; content: string } | undefined> {
  const box = findCheckBox(html, item)
  if (label !== undefined && box?.label !== toLabel(label))
    throw new Problem('checklist_changed', 'The item has another text now. Read the text again.')
  if (!box) throw notFound('check box')
  if (box.isChecked === is_checked) return undefined

  await endTurn(html)
  const changed = toggleCheckBox(markdown, item, is_checked)
  await endTurn(html)
  const content = toggleRenderedCheckBox(html, item, is_checked)
  if (changed === undefined || content === undefined) throw notFound('check box')
  return { markdown: changed, content }
}
