import type { IconName } from '../parts/icon'
import { insertLink, insertTrigger, toggleCode, toggleMark } from './editing'
import { toggleList } from './lists'

export interface Tool {
  label: string
  icon: IconName
  /** Its shortcut, or what to type instead. */
  key: string
  /** Without a selection, the shortcut does what it does elsewhere. */
  needsSelection?: true
  run(area: HTMLTextAreaElement): void
}

/** What the toolbar of the editor offers, besides emoji. Ctrl+K is the palette, unless there is something to link. */
export const tools: readonly Tool[] = [
  { label: 'Bold', icon: 'bold', key: 'mod+b', run: (area) => toggleMark(area, '**') },
  { label: 'Italic', icon: 'italic', key: 'mod+i', run: (area) => toggleMark(area, '_') },
  { label: 'Link', icon: 'link', key: 'mod+k', needsSelection: true, run: (area) => insertLink(area) },
  { label: 'List', icon: 'list', key: 'mod+shift+8', run: (area) => toggleList(area, 'list') },
  { label: 'Checklist', icon: 'checklist', key: 'mod+shift+9', run: (area) => toggleList(area, 'checklist') },
  { label: 'Code', icon: 'code', key: 'mod+e', run: toggleCode },
  { label: 'Mention', icon: 'mention', key: '@', run: (area) => insertTrigger(area, '@') },
]

/** The tool whose shortcut was pressed. */
export function findTool(
  event: Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey' | 'altKey'>,
  area: HTMLTextAreaElement,
) {
  if (event.altKey) return undefined
  // With Shift, the character depends on the keyboard layout.
  const key = event.shiftKey ? `shift+${event.code.replace('Digit', '')}` : event.key.toLowerCase()
  const tool = tools.find((each) => each.key === `mod+${key}`)
  return tool?.needsSelection && area.selectionStart === area.selectionEnd ? undefined : tool
}

/** For the list of keyboard shortcuts. */
export const writingKeys: [key: string, { label: string }][] = [
  ['mod+Enter', { label: 'Send' }],
  ...tools.map(({ key, label, needsSelection }): [string, { label: string }] => [
    key,
    { label: needsSelection ? `${label} (with text selected)` : label },
  ]),
  ['mod+shift+x', { label: 'Strikethrough' }],
  ['mod+shift+7', { label: 'Numbered list' }],
  ['mod+shift+.', { label: 'Quote' }],
  [':', { label: 'Emoji' }],
  ['/', { label: 'Insert a block' }],
]
