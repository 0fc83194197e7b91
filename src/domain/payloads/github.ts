import type { HookText } from '../hooks'
import { escapeMarkdown } from '../markdown/attributes'
import { type Fields, lookUp, readFields, readList, readText, toCode, toLink } from './values'

/** What a webhook of a GitHub repository or organization sends. Undefined for what would only be noise. */
export function readGitHub(event: string, payload: Fields): HookText | undefined {
  const action = readText(payload, 'action', '')
  return lookUp(events, event)?.({ payload, action, get: (name) => readFields(payload, name, '') ?? {} })
}

interface Delivery {
  payload: Fields
  action: string
  /** A part of the payload, empty if it has none of that name. */
  get(name: string): Fields
}

type ReadEvent = (delivery: Delivery) => HookText | undefined

const text = (fields: Fields, name: string) => readText(fields, name, '')
const nameOf = (fields: Fields) => escapeMarkdown(text(fields, 'login') || text(fields, 'name'))
const repositoryOf = ({ get }: Delivery) =>
  toLink(text(get('repository'), 'html_url'), escapeMarkdown(text(get('repository'), 'full_name')))
const body = (record: Fields) => {
  const written = withoutComments(text(record, 'body')).trim()
  return written === '' ? '' : `\n\n${written}`
}
/** Templates of issues and pull requests are full of HTML comments. */
const withoutComments = (markdown: string) =>
  markdown
    .split('<!--')
    .map((part, at) => (at === 0 || !part.includes('-->') ? part : part.slice(part.indexOf('-->') + 3)))
    .join('')

/** `[repository#12](…)`, or the repository alone. */
const numbered = (delivery: Delivery, record: Fields) =>
  toLink(
    text(record, 'html_url'),
    `${escapeMarkdown(text(delivery.get('repository'), 'full_name'))}#${escapeMarkdown(text(record, 'number'))}`,
  )

/** `Ada opened a pull request in repository#12`, with what was written. */
const about = (delivery: Delivery, what: string, record: Fields, written = body(record)): HookText => ({
  title: text(record, 'title'),
  markdown: `${nameOf(delivery.get('sender'))} ${what} ${numbered(delivery, record)}${written}`,
})

const events: Record<string, ReadEvent> = {
  ping: (delivery) => ({ markdown: `${repositoryOf(delivery) || 'GitHub'} will post here.` }),
  push: (delivery) => {
    const commits = readList(delivery.payload, 'commits', '')
    if (commits.length === 0) return undefined
    const branch = text(delivery.payload, 'ref').replace(/^refs\/(heads|tags)\//, '')
    const lines = commits.slice(0, MAX_COMMITS).map((commit) => {
      const [message = ''] = text(commit, 'message').split('\n')
      return `- ${toLink(text(commit, 'url'), toCode(text(commit, 'id').slice(0, 7) || 'commit'))} ${escapeMarkdown(message)}`
    })
    if (commits.length > MAX_COMMITS) lines.push(`- and ${commits.length - MAX_COMMITS} more`)
    const count = commits.length === 1 ? '1 commit' : `${commits.length} commits`
    const changes = toLink(text(delivery.payload, 'compare'), count)
    const who = nameOf(delivery.get('pusher')) || nameOf(delivery.get('sender'))
    return {
      markdown: `${who} pushed ${changes} to ${toCode(branch || 'branch')} of ${repositoryOf(delivery)}\n\n${lines.join('\n')}`,
    }
  },
  pull_request: (delivery) => {
    const pull = delivery.get('pull_request')
    const merged = delivery.action === 'closed' && pull.merged === true
    const verb = merged ? 'merged' : lookUp(VERBS, delivery.action)
    return verb === undefined
      ? undefined
      : about(
          delivery,
          verb === VERBS.ready_for_review ? verb : `${verb} the pull request`,
          pull,
          delivery.action === 'opened' ? body(pull) : '',
        )
  },
  issues: (delivery) => {
    const verb = lookUp(VERBS, delivery.action)
    const issue = delivery.get('issue')
    return verb === undefined
      ? undefined
      : about(delivery, `${verb} the issue`, issue, delivery.action === 'opened' ? body(issue) : '')
  },
  issue_comment: (delivery) =>
    delivery.action === 'created'
      ? about(delivery, 'commented on', delivery.get('issue'), body(delivery.get('comment')))
      : undefined,
  pull_request_review: (delivery) => {
    const verb = lookUp(REVIEWS, text(delivery.get('review'), 'state').toLowerCase())
    return verb === undefined
      ? undefined
      : about(delivery, verb, delivery.get('pull_request'), body(delivery.get('review')))
  },
  release: (delivery) => {
    if (delivery.action !== 'published') return undefined
    const release = delivery.get('release')
    const link = toLink(text(release, 'html_url'), escapeMarkdown(text(release, 'tag_name')))
    return {
      title: `${text(delivery.get('repository'), 'full_name')} ${text(release, 'name') || text(release, 'tag_name')}`,
      markdown: `${nameOf(delivery.get('sender'))} released ${link} of ${repositoryOf(delivery)}${body(release)}`,
    }
  },
  workflow_run: (delivery) => {
    const run = delivery.get('workflow_run')
    const conclusion = text(run, 'conclusion')
    // Success, the usual case, is no news.
    if (delivery.action !== 'completed' || ['success', 'skipped', 'neutral', ''].includes(conclusion)) return undefined
    return {
      title: `🔴 ${text(run, 'name')}: ${conclusion.replaceAll('_', ' ')}`,
      markdown: `${toLink(text(run, 'html_url'), 'The run')} on ${toCode(text(run, 'head_branch') || 'branch')} of ${repositoryOf(delivery)}`,
    }
  },
}

const MAX_COMMITS = 20
const VERBS: Record<string, string> = {
  opened: 'opened',
  closed: 'closed',
  reopened: 'reopened',
  ready_for_review: 'asked for a review of',
}
const REVIEWS: Record<string, string> = {
  approved: 'approved',
  changes_requested: 'requested changes to',
  commented: 'reviewed',
}
