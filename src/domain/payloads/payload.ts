import { Problem } from '../../contract/errors'
import { MAX_TEXT_LENGTH } from '../../contract/shapes'
import type { HookText } from '../hooks'
import { isBlank } from '../names'
import { readGitHub } from './github'
import { readSentry } from './sentry'
import { readSlack } from './slack-blocks'
import { cutTexts, type Fields, invalidPayload, isFields } from './values'

const MAX_TITLE = 300
const CUT = '\n\n… (cut)'

/**
 * What an incoming webhook was sent: Slack's format, `{ content_markdown, title? }`, or what GitHub and Sentry send by
 * themselves. Undefined for something that is not worth a post. Throws what a person can act on.
 */
export function readPayload(payload: unknown, header: (name: string) => string | null): HookText | undefined {
  if (!isFields(payload)) throw invalidPayload('Send a JSON object, such as {"text": "Hello"}.')
  cutTexts(payload)
  const text = read(payload, header)
  if (!text) return undefined
  const title = clean(text.title ?? '')
    .replace(/\s+/g, ' ')
    .trim()
  const markdown = shorten(clean(text.markdown))
  const isUntitled = isBlank(title)
  if (isUntitled && isBlank(markdown)) throw noText(payload)
  return { markdown, ...(!isUntitled && { title: truncate(title, MAX_TITLE) }) }
}

function read(payload: Fields, header: (name: string) => string | null): HookText | undefined {
  const [gitHubEvent, sentryResource] = [header('x-github-event'), header('sentry-hook-resource')]
  if (gitHubEvent !== null) return readGitHub(gitHubEvent, payload)
  if (sentryResource !== null) return readSentry(sentryResource, payload)
  return isPlain(payload) ? readPlain(payload) : readSlack(payload)
}

/** A title beside other fields, as Grafana's webhooks send, is part of another format, whose text would be lost. */
const isPlain = (payload: Fields) =>
  'content_markdown' in payload || ('title' in payload && Object.keys(payload).length === 1)

const readPlain = (payload: Fields): HookText => ({
  title: readString(payload, 'title'),
  markdown: readString(payload, 'content_markdown'),
})

/** Stricter than `readText`: in our own format, a number is a mistake. */
function readString(payload: Fields, name: string): string {
  const value = payload[name] ?? ''
  if (typeof value !== 'string') throw invalidPayload(`${name} must be a text.`)
  return value
}

const noText = (payload: Fields) =>
  new Problem(
    'invalid_input',
    'alerts' in payload
      ? 'There is no text. In Grafana and Alertmanager, use the integration for Slack, not the one for webhooks.'
      : 'There is no text. Send {"text": "Hello"}, blocks, attachments, or {"content_markdown": "Hello"}, with a title or without.',
  )

/** Text that both engines store unchanged. */
const clean = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd')

const truncate = (text: string, length: number) =>
  text.length > length ? `${text.slice(0, length - 1).toWellFormed()}…` : text

/** Slack cuts long messages too: part of a report is better than none. */
const shorten = (markdown: string) =>
  markdown.length > MAX_TEXT_LENGTH ? markdown.slice(0, MAX_TEXT_LENGTH - CUT.length).toWellFormed() + CUT : markdown
