import type { HookText } from '../hooks'
import { escapeMarkdown } from '../markdown/attributes'
import { type Fields, lookUp, readFields, readText, toLink } from './values'

/** What an internal integration of Sentry sends: alerts and issues. Undefined for other resources. */
export function readSentry(resource: string, payload: Fields): HookText | undefined {
  const action = readText(payload, 'action', '')
  const data = readFields(payload, 'data', '') ?? {}
  const event = readFields(data, 'event', 'data.')
  const issue = readFields(data, 'issue', 'data.')
  const rule = readText(data, 'triggered_rule', 'data.')
  if (resource === 'event_alert' && event)
    return report(event, rule ? [`Alert: ${rule}`] : [], readText(event, 'web_url', 'data.event.'))
  if (resource === 'metric_alert')
    return report(
      {
        title: readText(data, 'description_title', 'data.'),
        culprit: readText(data, 'description_text', 'data.'),
        level: action,
      },
      [],
      readText(data, 'web_url', 'data.'),
    )
  if (resource === 'issue' && issue && ['created', 'resolved', 'unresolved'].includes(action))
    return report(issue, [`Issue ${action}`], readText(issue, 'web_url', 'data.issue.'))
  return undefined
}

const DOTS: Record<string, string> = {
  fatal: '🔴',
  error: '🔴',
  critical: '🔴',
  warning: '🟡',
  info: '🔵',
  resolved: '🟢',
}

function report(record: Fields, notes: string[], url: string): HookText {
  const text = (name: string) => readText(record, name, 'data.')
  const level = text('level')
  const project = readFields(record, 'project', 'data.')
  const facts = [
    level && `Level: ${level}`,
    project && `Project: ${readText(project, 'name', 'data.project.')}`,
    ...notes,
  ]
  return {
    title: `${lookUp(DOTS, level) ?? '🔴'} ${text('title')}`,
    markdown: [
      escapeMarkdown(text('culprit')),
      escapeMarkdown(facts.filter(Boolean).join(' · ')),
      url && toLink(url, 'Open in Sentry'),
    ]
      .filter((line) => line !== '')
      .join('\n'),
  }
}
