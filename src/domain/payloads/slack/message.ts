import type { HookText } from '../../hooks'
import { type Fields, readList, readText } from '../values'
import { fromAttachments, fromTitledAttachment } from './attachments'
import { fromBlocks, headerOf } from './blocks'
import { withEmoji } from './emoji'
import { fromMrkdwn, fromPlain } from './mrkdwn'

/** A message as Slack's incoming webhooks take it. With blocks, `text` is shown in notifications only, as in Slack. */
export function readSlack(payload: Fields): HookText {
  const blocks = readList(payload, 'blocks', '')
  const header = headerOf(blocks[0])
  const text = readText(payload, 'text', '')
  const parts = fromBlocks(header === undefined ? blocks : blocks.slice(1), '')
  if (parts.length === 0 && header === undefined && text)
    parts.push(payload.mrkdwn === false ? fromPlain(text) : fromMrkdwn(text))
  const attachments = readList(payload, 'attachments', '')
  const isAlone = parts.length === 0 && header === undefined && attachments.length === 1
  const titled = isAlone ? fromTitledAttachment(attachments[0]!) : undefined
  if (titled) return titled
  parts.push(...fromAttachments(attachments))
  return { title: header && withEmoji(header), markdown: parts.join('\n\n') }
}
